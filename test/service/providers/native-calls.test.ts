import { describe, expect, test } from '@jest/globals';
import { parseCompletion } from '../../../src/parsing/parse-completion.js';
import { anthropicVendor } from '../../../src/service/providers/anthropic/provider.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { openaiVendor } from '../../../src/service/providers/openai/provider.js';
import {
  ask,
  connect,
  directoryAt,
  fakeProvider,
  readEventData,
  readPlain,
  toolOf,
  ways,
} from '../../support/providers/requests.js';

const nativeTools = { definitions: [toolOf('look_up')], choice: 'auto' as const };

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe.each(ways)('native calls (rule: native-calling): $title', (way) => {
  const callsOf = async (toolCalls: { name: string; arguments: Record<string, unknown> }[]) => {
    const fake = await fakeProvider({ toolCalls });
    return ask(connect(directoryAt(fake.url), way.model), way, undefined, { nativeTools });
  };

  test('of 10,000 native calls, the first 128 are read, and only the total length of the others is kept', async () => {
    const calls = Array.from({ length: 10_000 }, () => ({ name: 'look_up', arguments: { key: 1 } }));
    const { toolCalls, unreadCallChars } = await callsOf(calls);
    expect(toolCalls).toHaveLength(128);
    expect(unreadCallChars).toBeGreaterThan((10_000 - 128) * JSON.stringify(calls[0]).length);
  }, 120_000);

  test('three native calls are read completely', async () => {
    const calls = ['one', 'two', 'three'].map((key) => ({ name: 'look_up', arguments: { key } }));
    const { toolCalls, unreadCallChars } = await callsOf(calls);
    expect(toolCalls.map((call) => JSON.parse(call.arguments))).toEqual(calls.map((call) => call.arguments));
    expect(unreadCallChars).toBeUndefined();
  });
});

const vendors = [
  {
    vendor: openaiVendor(traitsOf('openai', 'gpt-4o')),
    answer: (input: string) =>
      `{"choices": [{"message": {"tool_calls": [{"function": {"name": "f", "arguments": ${input}}}]}}]}`,
  },
  {
    vendor: anthropicVendor(traitsOf('anthropic', 'x')),
    answer: (input: string) =>
      `{"content": [{"type": "tool_use", "id": "c", "name": "f", "input": ${input}}]}`,
  },
];

test.each(
  vendors,
)('arguments nested 20,000 deep become a text that is rejected as too deep (rule: native-calling)', ({
  vendor,
  answer,
}) => {
  const written = readPlain(vendor, JSON.parse(answer(nested(20_000))))?.toolCalls[0]?.arguments ?? '';
  expect(written).toBe(nested(100).replace('1', 'null'));
  const offered = [{ name: 'f', parameters: [] }];
  const read = parseCompletion(`Action: {"name": "f", "arguments": ${written}}`, offered, {});
  expect(read).toMatchObject({ action: null, outcome: 'malformed_action' });
});

const openai = openaiVendor(traitsOf('openai', 'gpt-4o'));

/** Returns a chunk with `parts` fragments that alternate between two calls, and a last fragment for each call. */
function chunkOf(parts: number, more: string): string {
  const begun = Array.from({ length: parts }, (_, index) => ({
    index: index % 2,
    id: `call_${index % 2}`,
    function: { name: 'write', arguments: index < 2 ? `{"part": "${more}` : '' },
  }));
  const closing = [0, 1].map((index) => ({ index, function: { arguments: '"}' } }));
  return JSON.stringify({
    choices: [{ delta: { tool_calls: [...begun, ...closing] }, finish_reason: 'tool_calls' }],
  });
}

test('fragments of calls in one chunk are joined, even if they are long (rule: native-calling)', () => {
  const long = 'line of a file '.repeat(20_000);
  const { toolCalls } = readEventData(openai, [chunkOf(4, long)])?.completion ?? {};
  const calls = toolCalls?.map(({ name, arguments: written }) => [name, JSON.parse(written)]);
  expect(calls).toEqual([
    ['write', { part: long }],
    ['write', { part: long }],
  ]);
});

test('a chunk with more than 4,096 call fragments is rejected (rule: native-calling)', () => {
  expect(readEventData(openai, [chunkOf(4_094, 'x')])).toBeDefined();
  expect(readEventData(openai, [chunkOf(4_095, 'x')])).toBeUndefined();
});

test('a stream of more than 100,000 calls or blocks is rejected (rule: native-calling)', () => {
  const calls = (chunk: number) => {
    const tool_calls = Array.from({ length: 4_000 }, (_, index) => ({ index: chunk * 4_000 + index }));
    return JSON.stringify({ choices: [{ delta: { tool_calls } }] });
  };
  const chunks = Array.from({ length: 26 }, (_, chunk) => calls(chunk));
  expect(readEventData(openai, chunks.slice(0, 25))).toBeDefined();
  expect(readEventData(openai, chunks)).toBeUndefined();

  const anthropic = anthropicVendor(traitsOf('anthropic', 'x'));
  const block = (index: number) =>
    JSON.stringify({ type: 'content_block_start', index, content_block: { type: 'other' } });
  const blocks = Array.from({ length: 100_001 }, (_, index) => block(index));
  expect(readEventData(anthropic, blocks.slice(0, 100_000))).toBeDefined();
  expect(readEventData(anthropic, blocks)).toBeUndefined();
});
