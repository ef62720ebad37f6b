import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ScriptedCompletion } from '../../../src/offline/wire/reply.js';
import { IncrementalParser } from '../../../src/parsing/incremental-parser.js';
import { SentText } from '../../../src/service/compat/sent-text.js';
import { toOffered } from '../../conformance/stepwise.js';
import { chunkLengths, cut } from '../../support/parsing/arbitraries.js';
import { loadCases } from '../../support/parsing/cases.js';
import { anyReply } from '../../support/parsing/replies.js';
import { tools as offeredTools } from '../../support/parsing/tools.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { askerOf, type WireName, wireNames } from '../../support/wires.js';

let service: WholeService;
let ask: ReturnType<typeof askerOf>;
beforeAll(async () => {
  service = await startWholeService();
  ask = askerOf(service);
});
afterAll(() => service.close());

const schema = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = [{ name: 'bash', schema }];
const withoutCorrections = { 'X-Stepwise-Corrections': '0' };

/** Requests a plain answer and a stream. Returns both. */
async function both(wire: WireName, reply: ScriptedCompletion, headers: Record<string, string> = {}) {
  const request = { text: 'Look.', tools, headers: { ...withoutCorrections, ...headers } };
  service.fake.script(() => reply);
  return { plain: await ask(wire, request), streamed: await ask(wire, request, true) };
}

const chunked = (text: string, lengths: readonly number[]) => ({ text, chunks: cut(text, lengths) });

describe('the text of a stream (rule: compatible-streams)', () => {
  test.each(
    wireNames.flatMap((wire) =>
      [
        ['Thought: I know. It is 42.', 'I know. It is 42.'],
        ['Thought: a\nObservation: b', 'a\nObservation: b'],
        ['Thought: a\nAction: None', 'a\nAction: None'],
        ['Thought: a\nAI: hi', 'a\nAI: hi'],
        ['Thought: t\n\nbash(command="ls")', 't\n\nbash(command="ls")'],
        ['Try this:\nThought: is a label', 'Try this:\nThought: is a label'],
        ['```\nThought: y\nFinal Answer: x\n```', 'y\n\nx'],
        ['Thought: a\n```\ncode\n```\nFinal Answer: x', 'a\n```\ncode\n```\n\nx'],
      ].map(([text = '', expected = '']) => [wire, text, expected] as const),
    ),
  )('a stream of %s sends the reply %j once, as the plain answer has it', async (wire, text, expected) => {
    for (const length of [1, 4, 1000]) {
      const { plain, streamed } = await both(wire, chunked(text, [length]));
      expect([plain.text, streamed.text]).toEqual([expected, expected]);
    }
  });

  test.each(
    wireNames.flatMap((wire) =>
      [
        ['Thought: I look.', 'I look.', ''],
        ['<think>hm</think>I look.', 'I look.', 'hm'],
        ['<think>hm</think>', '', 'hm'],
        ['<think>hm', '', 'hm'],
        ['Thought: t\nFinal Answer: 42', 't\n\n42', ''],
      ].map((row) => [wire, ...row] as const),
    ),
  )('through %s, the text %j beside a native call comes once, streamed and plain', async (wire, text, expected, reasoning) => {
    const toolCalls = [{ id: 'call_1', name: 'bash', arguments: '{"command":"ls"}' }];
    const { plain, streamed } = await both(wire, { ...chunked(text ?? '', [3]), toolCalls });
    for (const answer of [plain, streamed]) {
      expect(answer).toMatchObject({ text: expected, reasoning });
      expect(answer.calls).toHaveLength(1);
    }
  });

  test.each(
    wireNames.flatMap((wire) =>
      (['text', 'json', 'native'] as const).map((protocol) => [wire, protocol] as const),
    ),
  )('through %s with %s, reasoning in a field of its own and in tags comes once, streamed and plain (rule: thinking)', async (wire, protocol) => {
    const reply = { ...chunked('<think>so</think>It is 42.', [3]), reasoning: 'First.' };
    const { plain, streamed } = await both(wire, reply, { 'X-Stepwise-Protocol': protocol });
    for (const answer of [plain, streamed])
      expect(answer).toMatchObject({ text: 'It is 42.', reasoning: 'First.\n\nso' });
  });

  test.each(
    wireNames,
  )('a stream of %s sends the thought of a JSON object without an answer once', async (wire) => {
    const reply = chunked('{"thought":"only"}', [3]);
    const { plain, streamed } = await both(wire, reply, { 'X-Stepwise-Protocol': 'json' });
    expect([plain.text, streamed.text]).toEqual(['only', 'only']);
  });

  test.each([
    ['Hm, let me see.\n</think>\n\nIt is 42.', 'Hm, let me see.\n\nIt is 42.'],
    ['Hm.\n</think>\nThought: x\nFinal Answer: y', 'Hm.\n\nx\n\ny'],
    ['Thought: Hm.\n</think>\nIt is 42.', 'Hm.\n\nIt is 42.'],
  ])('after reasoning without an opening tag, which has been sent, a stream sends the text of %j once', async (text, expected) => {
    for (const wire of wireNames) expect((await both(wire, chunked(text, [4]))).streamed.text).toBe(expected);
  });

  test('in each API, the streamed text of a conformance case equals that of the plain answer', async () => {
    const texts = [...loadCases('rulings'), ...loadCases('written-calls')].map(({ text }) => text);
    const property = fc.asyncProperty(
      fc.constantFrom(...texts.filter((text) => text.trim() !== '')),
      chunkLengths,
      fc.constantFrom(...wireNames),
      async (text, lengths, wire) => {
        const { plain, streamed } = await both(wire, chunked(text, lengths));
        expect(plain.calls).toEqual(streamed.calls);
        expectSame(streamed.text, plain.text, plain.reasoning);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  test('the streamed text of any reply equals its plain text, in chunks of any size', async () => {
    const cases = (['rulings', 'written-calls', 'native-formats'] as const).flatMap((file) =>
      loadCases(file).map(({ text, tools: offered }) => ({ text, offered: toOffered(offered) })),
    );
    const replies = fc.oneof(
      fc.constantFrom(...cases),
      anyReply.filter((text) => !withTokens.test(text)).map((text) => ({ text, offered: offeredTools })),
    );
    const property = fc.asyncProperty(replies, chunkLengths, async ({ text, offered }, lengths) => {
      const { sent, plain, reasoning } = await sentAndPlain(
        new IncrementalParser(offered),
        cut(text, lengths),
      );
      expectSame(sent, plain, reasoning);
    });
    await fc.assert(property, { numRuns: 1_500 });
  });
});

/**
 * Matches leaked chat tokens and cut stop words before labels. The plain text may omit them where the stream cannot
 * know that yet.
 */
const withTokens = /<\||<\/s>|\[\/INST\]|Observ\s|<(?:final_)?answer>\s*[`~]/;

/** A stream has already sent reasoning without an opening tag when the closing tag shows what it was. */
function expectSame(streamed: string, plain: string, reasoning: string): void {
  const text = plain.trim();
  const isAfterReasoning = reasoning !== '' && streamed.trimEnd().endsWith(text && `\n\n${text}`);
  if (!isAfterReasoning) expect(streamed.trim()).toBe(text);
}

/** Streams a reply as the compatible endpoints do. Returns the text of the stream and that of a plain answer. */
async function sentAndPlain(parser: IncrementalParser, chunks: readonly string[]) {
  let sent = '';
  const sink = {
    say(delta: string) {
      sent += delta;
      return undefined;
    },
    reason: () => undefined,
  };
  const text = new SentText(sink, { holdsText: false });
  for (const chunk of chunks) for (const { type, delta } of parser.push(chunk)) text.delta(type, delta);
  const { deltas, completion } = parser.end();
  for (const { type, delta } of deltas) text.delta(type, delta);
  const { thought, answer, reasoning } = completion;
  const plain = [thought, answer].filter(Boolean).join('\n\n');
  await text.finish(plain, reasoning ?? '');
  return { sent, plain, reasoning: reasoning ?? '' };
}
