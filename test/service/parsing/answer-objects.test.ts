import { describe, expect, test } from '@jest/globals';
import { parseCompletion } from '../../../src/service/parsing/parse-completion.js';
import { stream } from '../../support/parsing/properties.js';
import { read } from '../../support/parsing/tools.js';

const answer = '{"thought": "I know.", "final_answer": "4\\n2"}';
const action = '{"thought": "I look.", "action": {"tool": "read", "args": {"path": "a"}}}';
const langChain = '{"action": "Final Answer", "action_input": "4\\n2"}';

describe('an object that says what it is (rule: step-object)', () => {
  test.each([
    ['by itself', answer, 'I know.'],
    ['between chat tokens', `<|im_start|>assistant\n${answer}<|im_end|>`, 'I know.'],
    ['in a fence', `\`\`\`json\n${answer}\n\`\`\`\n`, 'I know.'],
    ['after reasoning', `<think>hm</think>\n${answer}`, 'I know.'],
    ['in the last fence', `Sure.\n\n\`\`\`json\n${answer}\n\`\`\`\n`, 'Sure.\nI know.'],
    ['in a last fence left open', `Sure.\n\`\`\`\n${answer}`, 'Sure.\nI know.'],
    ['after a label', `Thought: Sure.\nAction:\n\`\`\`json\n${answer}\n\`\`\``, 'Sure.\nI know.'],
    ['without a thought', '{"final_answer": "4\\n2"}', null],
    ['with a null action', '{"thought": "I know.", "action": null, "final_answer": "4\\n2"}', 'I know.'],
  ])('is an answer: %s', (_, text, thought) => {
    for (const length of [1, 5, 1000]) {
      const { joined, completion } = stream(text, [length]);
      expect(completion).toMatchObject({ outcome: 'answer', answer: '4\n2', thought, answerLabelled: true });
      expect([joined.draft + joined.thought, joined.answer]).toEqual([thought ?? '', '4\n2']);
    }
  });

  test.each([
    ['by itself', action, 'I look.', 'exact'],
    ['in the last fence', `Sure.\n\`\`\`json\n${action}\n\`\`\``, 'Sure.\nI look.', 'repaired'],
    ['in a tag', `<tool_call>${action}</tool_call>`, 'I look.', 'exact'],
    ['with an empty answer', `${action.slice(0, -1)}, "final_answer": ""}`, 'I look.', 'exact'],
  ])('is an action: %s', (_, text, thought, confidence) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({
      action: { toolName: 'read', toolArgs: { path: 'a' } },
      thought,
      confidence,
    });
    expect([joined.draft + joined.thought, joined.answer]).toEqual([thought, '']);
  });

  test('is read whether or not tools are known', () => {
    expect(parseCompletion(action, []).action?.toolArgs).toEqual({ path: 'a' });
    expect(parseCompletion(answer, []).answer).toBe('4\n2');
  });

  test('names a tool that is not offered: the model is told', () => {
    expect(read(action.replace('"read"', '"serch"'))).toMatchObject({
      outcome: 'unknown_tool',
      action: null,
    });
  });

  test('of an action and an answer the first counts', () => {
    const both = (first: string, second: string): string => `{${first}, ${second}}`;
    const [act, say] = ['"action": {"tool": "read", "args": {"path": "a"}}', '"final_answer": "4"'];
    expect(read(both(act, say))).toMatchObject({ outcome: 'action', repairs: ['second_outcome'] });
    expect(read(both(say, act))).toMatchObject({
      outcome: 'answer',
      answer: '4',
      repairs: ['second_outcome'],
    });
  });

  test.each([
    ['{"a": 1}', '{"a":1}'],
    ['42', '42'],
    ['"{ not JSON"', '{ not JSON'],
    ['"{\\"a\\":  1}"', '{"a":  1}'],
  ])('the answer %s is %j', (written, said) => {
    expect(read(`{"final_answer": ${written}}`).answer).toBe(said);
  });

  test.each([
    '{"thought": "x"}',
    '{"final_answer": "42", "confidence": 0.9}',
    '{"observation": "x", "should_continue": false, "final_answer": "42"}',
    '{"thought": ["x"], "final_answer": "42"}',
    `Like so:\n\`\`\`json\n${action}\n\`\`\`\nThat is the form.`,
    `The form is \`${action}\`.`,
  ])('with anything else it is an answer as it stands: %j', (text) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({
      outcome: 'answer',
      action: null,
      answer: text,
      answerLabelled: false,
    });
    expect(joined.draft + joined.answer).toBe(text);
  });
});

describe('a call of Final Answer (rule: answer-call)', () => {
  test.each([
    ['by itself', langChain, null],
    ['after a label', `Thought: I know.\nAction: ${langChain}`, 'I know.'],
    ['in the last fence', `Thought: I know.\n\`\`\`json\n${langChain}\n\`\`\``, 'I know.'],
    ['two lines', 'Thought: I know.\nAction: Final Answer\nAction Input: 4\n2', 'I know.'],
    ['a call', 'Action: final_answer("4\\n2")', null],
    ['in a tag', '<tool_call>{"name": "final_answer", "arguments": {"answer": "4\\n2"}}</tool_call>', null],
  ])('is the answer: %s', (_, text, thought) => {
    const { joined, completion } = stream(text, [3]);
    expect(completion).toMatchObject({ outcome: 'answer', answer: '4\n2', thought, answerLabelled: true });
    expect([joined.draft + joined.thought, joined.answer]).toEqual([thought ?? '', '4\n2']);
  });

  test('several paragraphs of an input are all answer', () => {
    expect(read('Action: Final Answer\nAction Input: one\n\ntwo').answer).toBe('one\n\ntwo');
  });

  test('is a call where such a tool is offered', () => {
    const tools = [{ name: 'final_answer', parameters: ['text'] }];
    expect(parseCompletion('Action: final_answer("42")', tools).action?.toolArgs).toEqual({ text: '42' });
  });

  test('with several arguments is no answer', () => {
    expect(read('Action: final_answer("4", "2")').outcome).toBe('unknown_tool');
  });
});
