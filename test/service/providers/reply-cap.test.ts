import { describe, expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/wire/reply.js';
import { anthropicVendor } from '../../../src/service/providers/anthropic/provider.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { openaiVendor, responsesVendor } from '../../../src/service/providers/openai/provider.js';
import { ResponsesReply } from '../../../src/service/providers/openai/responses/responses-reply.js';
import { ReplyCap } from '../../../src/service/providers/upstream/reply-cap.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import {
  ask,
  collect,
  completionRequest,
  connect,
  directoryAt,
  fakeProvider,
  patienceOf,
  readEventData,
  readPlain,
  toolOf,
  ways,
} from '../../support/providers/requests.js';
import { until } from '../../support/until.js';

const MIB = 2 ** 20;
const usage = { input: 900, output: 80 };
const nativeTools = { definitions: [toolOf('write')], choice: 'auto' as const };
/** Length of the signature or encrypted text that the fake provider adds to reasoning: SHA-256 in base64. */
const SIGNATURE_LENGTH = 44;
const tooLong = expect.objectContaining({ code: 'reply_too_long' });

describe.each(ways)('the maximum length of a reply (rule: reply-cap): $title', (way) => {
  const completionOf = async (reply: ScriptedCompletion, changes = {}) => {
    const fake = await fakeProvider({ usage, ...reply });
    return ask(connect(directoryAt(fake.url), way.model), way, patienceOf(), changes);
  };

  test('a reply of 1 MiB is read completely', async () => {
    const text = 'x'.repeat(MIB);
    const completion = await completionOf({ text });
    expect(completion).toMatchObject({ finishReason: 'stop', warnings: [] });
    expect(completion.text === text).toBe(true);
  });

  test('a reply above 1 MiB is cut there and treated as cut by the output limit', async () => {
    const completion = await completionOf({ text: 'x'.repeat(MIB + 1) });
    expect(completion).toMatchObject({ finishReason: 'length', warnings: [tooLong] });
    expect(completion.text === 'x'.repeat(MIB)).toBe(true);
  });

  test('usage and finish reason of a cut stream are null', async () => {
    const completion = await completionOf({ text: 'x'.repeat(MIB + 1) });
    expect(completion.usage.output_tokens).toBe(way.streamed ? null : 80);
    expect(completion.finishReasonRaw === null).toBe(way.streamed);
  });

  test('a reply is measured in bytes of UTF-8, and no character is split', async () => {
    const { text, warnings } = await completionOf({ text: `x${'😀'.repeat(MIB / 4)}` });
    expect(warnings).toEqual([tooLong]);
    expect(text === `x${'😀'.repeat(MIB / 4 - 1)}`).toBe(true);
  });

  test('reasoning and text of a reply are measured together', async () => {
    const { reasoning, text } = await completionOf({ reasoning: 'r'.repeat(MIB / 2), text: 'x'.repeat(MIB) });
    const signature = way.wire === 'chat' ? 0 : SIGNATURE_LENGTH;
    expect([reasoning?.length, text.length]).toEqual([MIB / 2, MIB / 2 - signature]);
  });

  test('a refusal counts toward the length of a reply', async () => {
    const { refusal, finishReason } = await completionOf({ text: 'No.', refusal: 'x'.repeat(MIB) });
    expect([refusal?.length, finishReason]).toEqual([MIB - 3, 'length']);
  });

  test('native calls count toward the length of a reply, with their ids and names', async () => {
    const toolCalls = [{ name: 'write', arguments: { content: 'x'.repeat(MIB) } }];
    const {
      text,
      toolCalls: calls,
      finishReason,
    } = await completionOf({ text: 'Now.', toolCalls }, { nativeTools });
    expect(finishReason).toBe('length');
    const { id = '', name = '', arguments: written = '' } = calls[0] ?? {};
    expect((text + id + name + written).length).toBe(MIB);
  });
});

const openai = openaiVendor(traitsOf('openai', 'gpt-4o'));
const anthropic = anthropicVendor(traitsOf('anthropic', 'claude-opus-5'));
const half = 'x'.repeat(MIB / 2);

test.each([
  ['encrypted content', { type: 'reasoning', summary: [], encrypted_content: half }],
  ['summary', { type: 'reasoning', summary: [{ text: half }] }],
  ['call id', { type: 'function_call', call_id: half, name: 'write', arguments: '{}' }],
  ['name', { type: 'function_call', call_id: 'a', name: half, arguments: '{}' }],
  ['refusal', { type: 'message', content: [{ type: 'refusal', refusal: half }] }],
])('the %s of an item of Responses counts toward the reply length, and a cut reply has no provider state (rule: reply-cap)', (_, item) => {
  const vendor = responsesVendor(traitsOf('openai', 'gpt-5.6-sol'));
  const plain = readPlain(vendor, { status: 'completed', output: [item, item, item] });
  const done = [0, 1, 2].map((output_index) =>
    JSON.stringify({ type: 'response.output_item.done', output_index, item }),
  );
  const streamed = readEventData(vendor, done)?.completion;
  for (const completion of [plain, streamed]) {
    expect(completion).toMatchObject({ isTooLong: true, warnings: [tooLong] });
    expect(completion).not.toMatchObject({ state: expect.anything() });
  }
});

test('the ids of the items of a Responses stream, which do not count toward the reply length, are not all kept', () => {
  const reply = new ResponsesReply(new ReplyCap());
  const heldAfter = (items: number, idLength: number): number => {
    for (let at = 0; at < items; at += 1) {
      const item = { type: 'function_call', call_id: '', id: String(at).padEnd(idLength, 'x') };
      reply.addEvent(JSON.stringify({ type: 'response.output_item.added', output_index: 0, item }));
    }
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  heldAfter(2_000, 250);
  const before = heldAfter(0, 0);
  const short = heldAfter(30_000, 8) - before;
  const long = heldAfter(30_000, 250) - before - short;
  expect(long - short).toBeLessThan(2 * MIB);
  expect(reply.isFinished).toBe(false); // the reply is still in memory
});

test.each([
  ['signature', { type: 'thinking', thinking: 'hm', signature: half }],
  ['data', { type: 'redacted_thinking', data: half }],
  ['id', { type: 'tool_use', id: half, name: 'write', input: {} }],
  ['name', { type: 'tool_use', id: 'a', name: half, input: {} }],
])('the %s of an Anthropic block counts toward the reply length, and a cut reply has no provider state (rule: reply-cap)', (_, block) => {
  const plain = readPlain(anthropic, { content: [block, block, block], stop_reason: 'end_turn' });
  const starts = [0, 1, 2].map((index) =>
    JSON.stringify({ type: 'content_block_start', index, content_block: block }),
  );
  const streamed = readEventData(anthropic, starts)?.completion;
  for (const completion of [plain, streamed]) {
    expect(completion).toMatchObject({ isTooLong: true, warnings: [tooLong] });
    expect(completion).not.toHaveProperty('providerState');
    expect(JSON.stringify(completion).length).toBeLessThan(MIB + 2_000);
  }
});

test('a signature in deltas counts toward the reply length (rule: reply-cap)', () => {
  const delta = { type: 'signature_delta', signature: half };
  const event = JSON.stringify({ type: 'content_block_delta', index: 0, delta });
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } };
  const read = (...events: string[]) =>
    readEventData(anthropic, [JSON.stringify(start), ...events])?.completion;
  expect(read(event, event)?.isTooLong).toBeUndefined();
  expect(read(event, event, event)?.isTooLong).toBe(true);
});

test('unknown Anthropic blocks and fields are dropped and do not count toward the reply length (rule: reply-cap)', () => {
  const unknown = { type: 'server_tool_use', input: { query: half } };
  const call = { type: 'tool_use', id: 'a', name: 'write', input: {}, caller: half };
  const content = [unknown, unknown, unknown, ...Array.from({ length: 129 }, () => call)];
  const completion = readPlain(anthropic, { content, stop_reason: 'tool_use' });
  expect(completion).toMatchObject({ finishReason: 'tool', unreadCallChars: expect.any(Number) });
  expect(completion?.unreadCallChars).toBeLessThan(100);
});

test.each([
  'id',
  'name',
] as const)('the %s of an OpenAI call counts toward the reply length (rule: reply-cap)', (field) => {
  const called = { id: 'a', name: 'write', [field]: half };
  const call = { id: called.id, function: { name: called.name, arguments: '{}' } };
  const message = { content: null, tool_calls: [call, call, call] };
  const plain = readPlain(openai, { choices: [{ message, finish_reason: 'tool_calls' }] });
  const parts = message.tool_calls.map((each, index) => ({ ...each, index }));
  const chunk = JSON.stringify({ choices: [{ delta: { tool_calls: parts } }] });
  for (const completion of [plain, readEventData(openai, [chunk])?.completion]) {
    expect(completion).toMatchObject({ isTooLong: true, finishReason: 'length' });
    expect(JSON.stringify(completion).length).toBeLessThan(MIB + 2_000);
  }
});

describe.each(
  ways.filter(({ streamed }) => streamed),
)('a stream that is too long (rule: reply-cap): $title', (way) => {
  test('a stream that is too long is aborted, and its deltas equal the completion', async () => {
    const chunks = Array.from({ length: 3_000 }, (_, index) => `${index} `.padEnd(10_000, '.'));
    const fake = await fakeProvider({ chunks });
    const provider = connect(directoryAt(fake.url), way.model);
    const events = await collect(provider.stream(completionRequest({ model: way.model }), patienceOf()));
    const last = events.at(-1);
    const text = last?.type === 'completion' ? last.completion.text : '';
    expect(text === chunks.join('').slice(0, MIB)).toBe(true);
    expect(events.map((event) => (event.type === 'text' ? event.delta : '')).join('') === text).toBe(true);
    expect(await fake.requests[0]?.ended).toBe('aborted');
    await until(() => fake.openSockets() === 0);
  });
});
