import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { OfferedTool } from '../../src/parsing/arguments/offered-tool.js';
import { parseCompletion, type ReplySpan, readSpans } from '../../src/parsing/parse-completion.js';
import { toOffered } from '../conformance/stepwise.js';
import { anyText } from '../support/parsing/arbitraries.js';
import { loadCases } from '../support/parsing/cases.js';
import { tools } from '../support/parsing/tools.js';

const cases = [...loadCases('written-calls'), ...loadCases('rulings')];

const textOf = (text: string, spans: readonly ReplySpan[], kind: ReplySpan['kind']): string =>
  spans
    .filter((span) => span.kind === kind)
    .map(({ start, end }) => text.slice(start, end))
    .join('');

/**
 * Returns whether a text may be a JSON object or an XML element. Its escaped strings then differ from the parsed
 * thought and answer.
 */
const isObject = (written: string): boolean =>
  /^[`\s]*[{[<]/.test(written) || /final[_ ]answer/i.test(written);

/** Returns descriptions of the differences between the spans of a text and the parsed reply. */
function faults(text: string, offered: readonly OfferedTool[]): string[] {
  const parsed = parseCompletion(text, offered);
  const spans = readSpans(text, offered);
  const call = textOf(text, spans, 'call');
  const thought = textOf(text, spans, 'thought');
  const answer = textOf(text, spans, 'answer');
  const holds: readonly [string, boolean][] = [
    [
      'a span is empty or lies outside',
      spans.every(({ start, end }) => 0 <= start && start < end && end <= text.length),
    ],
    ['spans overlap or are out of order', spans.every(({ start }, at) => start >= (spans[at - 1]?.end ?? 0))],
    ['the call is not the call', call === (parsed.action?.raw ?? '')],
    [
      'the thought is not the thought',
      isObject(call || answer)
        ? (parsed.thought ?? '').startsWith(thought)
        : thought === (parsed.thought ?? ''),
    ],
    ['the answer is not the answer', isObject(answer) || answer === (parsed.answer ?? '')],
    [
      'reasoning and its spans differ',
      (parsed.reasoning === null) === !hasWords(textOf(text, spans, 'reasoning')),
    ],
    [
      'what was discarded has no span',
      parsed.discarded.length === 0 || textOf(text, spans, 'discarded') !== '',
    ],
  ];
  return holds.flatMap(([fault, isTrue]) => (isTrue ? [] : [fault]));
}

const hasWords = (block: string): boolean => block.replace(/<\/?think>/g, '').trim() !== '';

describe('spans of a reply (rule: thought-and-answer)', () => {
  test('the spans of any text are ordered, do not overlap, and match the parsed result', () => {
    fc.assert(
      fc.property(anyText, (text) => expect(faults(text, tools)).toEqual([])),
      { numRuns: 3000 },
    );
  });

  test('the spans of every conformance case are ordered, do not overlap, and match the parsed result', () => {
    const wrong = cases.flatMap(({ id, text, tools }) =>
      faults(text, toOffered(tools)).map((fault) => `${id}: ${fault}`),
    );
    expect(cases.length).toBeGreaterThan(0);
    expect(wrong).toEqual([]);
  });

  test('the spans of a reply omit labels, fences and the white space around them', () => {
    const text =
      '<think>hm</think>\n**Thought:** I look.\nAction:\n```\nsearch_code(pattern="a")\n```\nObservation: made up';
    const named = readSpans(text, [{ name: 'search_code', parameters: ['pattern'] }]).map(
      ({ kind, start, end }) => [kind, text.slice(start, end)],
    );
    expect(named).toEqual([
      ['reasoning', '<think>hm</think>'],
      ['thought', 'I look.'],
      ['call', 'search_code(pattern="a")'],
      ['discarded', 'Observation: made up'],
    ]);
  });
});
