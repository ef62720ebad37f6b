import { describe, expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/wire/reply.js';
import {
  ask,
  collect,
  completionRequest,
  connect,
  directoryAt,
  eventually,
  fakeProvider,
  patienceOf,
  toolOf,
  ways,
} from '../../support/providers/requests.js';

const MIB = 2 ** 20;
const usage = { input: 900, output: 80 };
const nativeTools = { definitions: [toolOf('write')], choice: 'auto' as const };
const tooLong = expect.objectContaining({ code: 'reply_too_long' });

describe.each(ways)('the maximum length of a reply (rule: reply-cap): $title', (way) => {
  const completionOf = async (reply: ScriptedCompletion, changes = {}) => {
    const fake = await fakeProvider({ usage, ...reply });
    return ask(connect(directoryAt(fake.url), way.model), way, patienceOf(), changes);
  };

  test('a reply of 1 MiB is read whole', async () => {
    const text = 'x'.repeat(MIB);
    const completion = await completionOf({ text });
    expect(completion).toMatchObject({ finishReason: 'stop', warnings: [] });
    expect(completion.text === text).toBe(true);
  });

  test('a longer one is cut there, and counts as cut by the output limit', async () => {
    const completion = await completionOf({ text: 'x'.repeat(MIB + 1) });
    expect(completion).toMatchObject({ finishReason: 'length', warnings: [tooLong] });
    expect(completion.text === 'x'.repeat(MIB)).toBe(true);
  });

  test('usage and finish reason that have not arrived are null', async () => {
    const completion = await completionOf({ text: 'x'.repeat(MIB + 1) });
    expect(completion.usage.output_tokens).toBe(way.streamed ? null : 80);
    expect(completion.finishReasonRaw === null).toBe(way.streamed);
  });

  test('bytes of UTF-8 count, and no character is cut', async () => {
    const { text, warnings } = await completionOf({ text: `x${'😀'.repeat(MIB / 4)}` });
    expect(warnings).toEqual([tooLong]);
    expect(text === `x${'😀'.repeat(MIB / 4 - 1)}`).toBe(true);
  });

  test('reasoning and text count together', async () => {
    const { reasoning, text } = await completionOf({ reasoning: 'r'.repeat(MIB / 2), text: 'x'.repeat(MIB) });
    expect([reasoning?.length, text.length]).toEqual([MIB / 2, MIB / 2]);
  });

  test('native arguments count too', async () => {
    const toolCalls = [{ name: 'write', arguments: { content: 'x'.repeat(MIB) } }];
    const {
      text,
      toolCalls: calls,
      finishReason,
    } = await completionOf({ text: 'Now.', toolCalls }, { nativeTools });
    expect(finishReason).toBe('length');
    expect(text.length + (calls[0]?.arguments.length ?? 0)).toBe(MIB);
  });
});

describe.each(
  ways.filter(({ streamed }) => streamed),
)('a stream that is too long (rule: reply-cap): $title', (way) => {
  test('ends the provider call, and its deltas are the completion', async () => {
    const chunks = Array.from({ length: 3_000 }, (_, index) => `${index} `.padEnd(10_000, '.'));
    const fake = await fakeProvider({ chunks });
    const provider = connect(directoryAt(fake.url), way.model);
    const events = await collect(provider.stream(completionRequest({ model: way.model }), patienceOf()));
    const last = events.at(-1);
    const text = last?.type === 'completion' ? last.completion.text : '';
    expect(text === chunks.join('').slice(0, MIB)).toBe(true);
    expect(events.map((event) => (event.type === 'text' ? event.delta : '')).join('') === text).toBe(true);
    expect(await fake.requests[0]?.ended).toBe('aborted');
    await eventually(() => fake.openSockets() === 0);
  });
});
