import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ParseDelta } from '../../src/parsing/delta-writer.js';
import { IncrementalParser } from '../../src/parsing/incremental-parser.js';
import { chunkLengths, cut } from '../support/parsing/arbitraries.js';
import { loadCases } from '../support/parsing/cases.js';
import { stream } from '../support/parsing/properties.js';
import { anyReply } from '../support/parsing/replies.js';
import { tools } from '../support/parsing/tools.js';

/**
 * Returns the deltas of a text that arrives one character at a time, before the parser learns that the text has ended.
 */
function pushed(text: string): ParseDelta[] {
  const parser = new IncrementalParser(tools);
  return [...text].flatMap((character) => parser.push(character));
}

describe('streaming a reply (rule: deltas-join)', () => {
  test.each([
    ['Thought: one\ntwo\nFinal Answer: 42 is\n\nthe answer', 'one\ntwo', '42 is\n\nthe answer'],
    ['**Thought:** one\n\n**Final Answer:** 42', 'one', '42'],
    ['**Final Answer: 42**', '', '42'],
    ['**Final Answer: a ** b **  \nc', '', 'a ** b   \nc'],
    ['**Thought: one ***\r\n**Final Answer: 42** \n', 'one *', '42'],
    ['<final_answer>\n42\n</final_answer>\n', '', '42'],
    ['Final Answer: <final_answer>42</final_answer>', '', '42'],
    ['Thought: one\n**Final Answer:**\n<final_answer>\n42\n</final_answer>', 'one', '42'],
    ['<final_answer>Final Answer: 42</final_answer>', '', '42'],
    ['```\nThought: one\nFinal Answer: 42\n```', 'one', '42'],
    ['Final Answer: see\n```js\ncode\n```\nObserv', '', 'see\n```js\ncode\n```'],
    ['Final Answer: a < b, <b>c</b> and `</final_answer>`</s>', '', 'a < b, <b>c</b> and `</final_answer>`'],
    ['<think>hm\nAction: x</think>Thought: one\nFinal Answer: 42', 'one', '42'],
    [
      'Final Answer: it says\nAction: read(path="a")\nObservation: no',
      '',
      'it says\nAction: read(path="a")\nObservation: no',
    ],
  ])('joined deltas of a labelled reply equal its thought and answer: %j', (text, thought, answer) => {
    for (const length of [1, 2, 7, 1000]) {
      const { joined, completion } = stream(text, [length]);
      expect(joined).toMatchObject({ draft: '', thought, answer });
      expect(completion).toMatchObject({ thought: thought || null, answer });
    }
  });

  test('a labelled answer is streamed while it arrives', () => {
    const text = 'Final Answer: the first words of a long answer';
    expect(
      pushed(text)
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('the first words of a long answer');
  });

  test('deltas contain no character of a label, tag or call', () => {
    const text = 'Thought: I read.\n**Action:** read(path="a")\nObservation: made up\nFinal Answer: no';
    expect(
      pushed(text)
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('I read.');
    expect(stream('I read.\n<tool_call>{"name": "read", "arguments": {}}', [3]).joined).toMatchObject({
      draft: 'I read.',
      answer: '',
    });
  });

  test.each([
    '{"name": "search", "arguments": {"query": "a secret"}}',
    '[\n  {"name": "search", "arguments": {"query": "a secret"}}]',
    '```json\n{"name": "search", "arguments": {"query": "a secret"}}\n```',
    'search(query="a secret longer than any label")',
    'search[a secret longer than any label]',
    'http.request(url="a secret", method="GET");',
    '<|im_start|>assistant\nsearch(query="a secret longer than any label")',
    '<think>hm</think>search(query="a secret longer than any label")',
  ])('no delta contains a call that has no marker: %j (rules: bare-call, deltas-join)', (text) => {
    for (const length of [1, 3, 1000]) {
      const { joined, completion } = stream(text, [length]);
      expect(joined).toMatchObject({ draft: '', thought: '', answer: '' });
      expect(completion).toMatchObject({ outcome: 'action', thought: '' });
    }
  });

  test.each([
    'search for it in all files',
    'search (it is a word) and more words',
    'reading is what I do first of all',
    '[a link](https://example.org) and more words',
    '[1] and more words than a label has',
  ])('text that only begins like a call is streamed completely, mostly before its end: %j (rule: draft-role)', (text) => {
    const { joined, completion } = stream(text, [1]);
    expect(joined.draft + joined.answer).toBe(text);
    expect(completion).toMatchObject({ outcome: 'answer', answer: text });
    if (!text.startsWith('search (')) expect(pushed(text).length).toBeGreaterThan(5);
  });

  test('JSON before a labelled answer becomes the thought if it is not a call (rule: bare-call)', () => {
    const { joined } = stream('{"names": ["search"]}\nFinal Answer: 42', [3]);
    expect(joined).toMatchObject({ draft: '', thought: '{"names": ["search"]}', answer: '42' });
  });

  test('a call after reasoning does not run if words precede the reasoning (rule: bare-call)', () => {
    const { joined, completion } = stream('I look.<think>hm</think>search(query="a")', [2]);
    expect(completion).toMatchObject({ outcome: 'answer', action: null, reasoning: 'hm' });
    expect(joined.draft + joined.answer).toBe(completion.answer);
  });

  test('prose without a label is streamed completely as a draft', () => {
    const text = 'Plain words with **bold**, <b>html</b>\n\n- a list\n- of two\n\nAction items: none.';
    expect(stream(text, [4]).joined).toEqual({ reasoning: '', draft: text, thought: '', answer: '' });
  });

  test.each([
    ['Thought: no tool\nAction: None\nIt is 4.', 'no tool\nAction: None\nIt is 4.'],
    ['Thought: I know. It is 42.', 'I know. It is 42.'],
    ['Try this:\nThought: is a label', 'Try this:\nThought: is a label'],
    ['Thought: a\n<think>hm</think>', 'a'],
  ])('the joined deltas of a reply without an answer label hold its text once: %j', (text, answer) => {
    for (const length of [1, 5, 1000]) {
      const { joined, completion } = stream(text, [length]);
      expect(completion).toMatchObject({ outcome: 'answer', answer });
      expect(joined.draft + joined.thought + joined.answer).toBe(answer);
    }
  });

  test.each([
    '```\nThought: y\nFinal Answer: x\n```',
    'Thought: y\n```\ncode\n```\nFinal Answer: x',
    'I look.\nThought: y\nFinal Answer: x',
  ])('all of the thought is sent before the answer: %j', (text) => {
    for (const length of [1, 1000]) {
      const parser = new IncrementalParser(tools);
      const deltas = cut(text, [length]).flatMap((part) => parser.push(part));
      const types = [...deltas, ...parser.end().deltas].map(({ type }) => type);
      expect(types.lastIndexOf('thought')).toBeLessThan(types.indexOf('answer'));
    }
  });

  test.each([
    'I write.\nAction: write_file(path="a", content="secret',
    'Thought: I write.\nAction: serch(query="secret")',
    '<tool_call>\n{"name": "read", "arguments": {"secret": }}\n</tool_call>',
  ])('no delta contains the text of an unreadable action: %j (rule: unreadable-never-answer)', (text) => {
    const { joined, completion } = stream(text, [4]);
    expect(completion.action).toBeNull();
    expect(completion.problem).not.toBeNull();
    expect(joined.answer).toBe('');
    expect(Object.values(joined).join('')).not.toMatch(/secret|Action/);
  });

  test('joined deltas equal the final fields of any reply, in chunks of any size', () => {
    fc.assert(
      fc.property(anyReply, chunkLengths, (text, lengths) => {
        const { joined, completion } = stream(text, lengths);
        const { outcome, thought, answer, reasoning, answerLabelled } = completion;
        if (answerLabelled) expect(joined.answer).toBe(answer);
        // The parser emits text before a closing tag without an opening one as draft, before the tag shows it to be
        // reasoning (rule: thinking).
        if (reasoning?.includes('<think>')) return;
        if (outcome === 'action' || answerLabelled) expect(joined.draft + joined.thought).toBe(thought ?? '');
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    [
      'code over several lines',
      'Write `a\nFinal Answer: 4` to end.\nFinal Answer: 2',
      'Write `a\nFinal Answer: 4` to end.',
      '2',
    ],
    ['a fence that wraps', '```\nI look.\nFinal Answer: 4\n```', 'I look.', '4'],
    ['a code block', '```js\nx\n```\nI look.\nFinal Answer: 4', '```js\nx\n```\nI look.', '4'],
    ['a token that ends a list', '- a\n- b<|im_end|>\nFinal Answer: 4', '- a\n- b', '4'],
    [
      'a stray closer in reasoning',
      '<think>a</file 0123456789abcdef></think>I look.\nFinal Answer: 4',
      'I look.',
      '4',
    ],
    [
      'a stray closer before a fence',
      '</file 0123456789abcdef>\n```\nThought: a\nFinal Answer: 4\n```',
      'a',
      '4',
    ],
    ['a label without text', 'I look.\nThought:\nThought: a\nFinal Answer: 4', 'I look.\n\na', '4'],
    ['half a stop word', 'I look.\nFinal Answer: 4\nObserv\n', 'I look.', '4'],
    ['a fence with words beside it in an answer', '```\nFinal Answer: 4\n```js', '', '4\n```js'],
  ])('joined deltas equal the thought and the answer of a reply with %s', (_, text, thought, answer) => {
    for (const length of [1, 4, 1000]) {
      const { joined, completion } = stream(text, [length]);
      expect(completion).toMatchObject({ outcome: 'answer', thought: thought || null, answer });
      expect([joined.draft + joined.thought, joined.answer]).toEqual([thought, answer]);
    }
  });

  test('a code block that opens a reply is streamed once it is complete', () => {
    expect(
      pushed('```js\nconst x = 1;\n```\nThat is the code I would write.\n')
        .map(({ delta }) => delta)
        .join(''),
    ).toBe('```js\nconst x = 1;\n```\nThat is the code I would write.');
  });

  test('every conformance case gives the same deltas and result in chunks of any size', () => {
    const cases = loadCases('written-calls').map(({ text }) => text);
    fc.assert(
      fc.property(fc.constantFrom(...cases), chunkLengths, (text, lengths) => {
        const whole = stream(text, [text.length || 1]);
        const pieces = stream(text, lengths);
        expect(pieces).toEqual(whole);
        const { joined, completion } = pieces;
        if (completion.answerLabelled) expect(joined.answer).toBe(completion.answer);
        const isDecided = completion.outcome === 'action' || completion.answerLabelled;
        if (isDecided) expect(joined.draft + joined.thought).toBe(completion.thought ?? '');
      }),
      { numRuns: 500 },
    );
  });
});
