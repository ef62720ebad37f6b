import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { reasoningMarks } from '../../src/parsing/text/reasoning-marks.js';
import { chunkLengths } from '../support/parsing/arbitraries.js';
import { stream } from '../support/parsing/properties.js';
import { tools } from '../support/parsing/tools.js';

const considered = 'We could\nAction: read(path="considered")\nbut no.';
const pairs = [
  ...reasoningMarks.flatMap(({ open, close }) =>
    open.flatMap((opener) => close.map((closer) => [opener, closer] as const)),
  ),
  ['<think:fast>', '</think:fast>'] as const,
  [' to=self<|message|>', '<|eom|>'] as const,
  ['Here is my thought process:', 'Here is my response:'] as const,
  ['analysis', 'assistantfinal'] as const,
].filter(([, closer]) => closer !== '');
const openers = [...reasoningMarks.flatMap(({ open }) => open), '<think:fast>', ' to=self<|message|>'];
const orphans = [...reasoningMarks.flatMap(({ orphanClose }) => orphanClose), '</think:fast>'];

describe('reasoning tags of model families (rule: thinking)', () => {
  test('closed reasoning is never an action, thought or answer, whether whole or in chunks of any size', () => {
    fc.assert(
      fc.property(fc.constantFrom(...pairs), chunkLengths, ([open, close], lengths) => {
        const { joined, completion } = stream(`${open}${considered}${close}Final Answer: no`, lengths);
        expect(completion).toMatchObject({
          reasoning: considered,
          action: null,
          thought: null,
          answer: 'no',
        });
        expect(joined).toEqual({ reasoning: considered, draft: '', thought: '', answer: 'no' });
      }),
      { numRuns: 1000 },
    );
  });

  test('text after closed reasoning is read as if the reasoning were absent', () => {
    for (const [open, close] of pairs) {
      const reply = (text: string) => parseCompletion(`${open}${considered}${close}${text}`, tools);
      expect(reply('It is 8080.')).toMatchObject({ outcome: 'answer', answer: 'It is 8080.' });
      expect(reply('\nAction: read(path="a")').action?.toolArgs).toEqual({ path: 'a' });
    }
  });

  test.each(openers)('an action in unclosed reasoning after %j never runs', (open) => {
    const { joined, completion } = stream(`${open}${considered}`, [3]);
    expect(completion).toMatchObject({ outcome: 'empty', action: null, reasoning: considered });
    expect(joined).toEqual({ reasoning: considered, draft: '', thought: '', answer: '' });
  });

  test.each(
    orphans,
  )('an action before the closing reasoning tag %j without an opening tag never runs', (close) => {
    const completion = parseCompletion(`${considered}${close}\nFinal Answer: no`, tools);
    expect(completion).toMatchObject({ answer: 'no', action: null, thought: null, reasoning: considered });
  });

  test.each([...openers, ...orphans])('%j in a labelled answer is text, whole and streamed', (mark) => {
    const { joined, completion } = stream(`Final Answer: it is ${mark} here`, [1]);
    expect(completion).toMatchObject({ answer: `it is ${mark} here`, reasoning: null });
    expect(joined.answer).toBe(completion.answer);
    const { joined: ended, completion: end } = stream(`Final Answer: it is ${mark}`, [1]);
    expect(ended.answer).toBe(end.answer);
  });

  test('the closing reasoning tag of another model family does not end the reasoning', () => {
    const { completion } = stream('[THINK]a</think>\nAction: read(path="a")[/THINK]Final Answer: no', [2]);
    expect(completion).toMatchObject({ answer: 'no', reasoning: 'a</think>\nAction: read(path="a")' });
  });

  test.each(pairs.slice(0, 24))('%j and %j in inline code are text', (open, close) => {
    const text = `The marks \`${open}\` and \`${close}\` surround it.`;
    expect(parseCompletion(text, tools)).toMatchObject({ outcome: 'answer', answer: text, reasoning: null });
  });

  test.each([
    ['<|START_THINKING|>hm<|END_THINKING|><|START_RESPONSE|>It is 4.<|END_RESPONSE|>'],
    ['<|open|>think<|sep|>hm<|close|>think<|sep|><|open|>response<|sep|>It is 4.<|close|>response<|sep|>'],
    [
      '<|message_model|><|content_thinking|>hm<|end_message|><|message_model|><|content_text|>It is 4.<|end_message|>',
    ],
    [' to=self<|message|>hm<|eom|><|start|>assistant to=user<|message|>It is 4.<|eom|>'],
    ['<think>hm</think>\n<|im_start|>\nIt is 4.<|im_end|>'],
    ['<scratch_pad>hm</scratch_pad>It is 4.'],
    ['<scratchpad>hm</scratchpad>It is 4.'],
    ['<reflection>hm</reflection>It is 4.'],
  ])('the answer after reasoning omits the chat tokens in front of it: %j (rule: chat-tokens)', (text) => {
    for (const length of [1, 3, 1000]) {
      const { joined, completion } = stream(text, [length]);
      expect(completion).toMatchObject({ outcome: 'answer', answer: 'It is 4.', reasoning: 'hm' });
      expect([joined.reasoning, joined.draft + joined.answer]).toEqual(['hm', 'It is 4.']);
    }
  });

  test.each([
    '>>>all\nIt is 4.',
    ' to=user<|message|>It is 4.<|eom|>',
    '<|start|>assistant to=user<|message|>It is 4.<|eom|>',
    '<|open|>response<|sep|>It is 4.<|close|>response<|sep|>',
  ])('an answer at the start of a reply omits the chat tokens in front of it: %j (rule: chat-tokens)', (text) => {
    const { joined, completion } = stream(text, [1]);
    expect([completion.answer, joined.draft + joined.answer]).toEqual(['It is 4.', 'It is 4.']);
  });
});
