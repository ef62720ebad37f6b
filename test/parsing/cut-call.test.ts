import { describe, expect, test } from '@jest/globals';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { stream } from '../support/parsing/properties.js';
import { tools } from '../support/parsing/tools.js';

const cutOff = { finishReason: 'length' } as const;

describe('a reply that the output limit cuts off within a call (rule: billed-outcomes)', () => {
  test.each([
    'Acti',
    'Action',
    '**Acti',
    '## Action',
    'Action Inp',
    'read(',
    'read(path="a.t',
    'read(path="a.ts"',
    '`read(path="a',
    '→ read(path="a',
    'read(path="a\n\nb\n\n',
    'read(path',
    '{"name": "rea',
    '{"name": "read", "arg',
    '{"name": "read", "arguments": {"path": "a',
    '```json\n{"name": "read", "argu',
    '```\nread(path="a',
    '1. Action: read(path="a',
    '<|mess',
    '<tool_c',
    '<tool_call>',
    '<tool_call>\n<func',
    '<function=rea',
    '<invoke name="rea',
    '[TOOL_CALLS]rea',
  ])('is truncated, and a stream shows nothing of the call: %j', (call) => {
    for (const before of ['I look.\n', 'Thought: I look.\n', '']) {
      expect(parseCompletion(before + call, tools, cutOff)).toMatchObject({
        outcome: 'truncated',
        action: null,
      });
      const { joined } = stream(before + call, [1], cutOff);
      expect(`${joined.draft}${joined.thought}${joined.answer}`.trim()).toBe(before === '' ? '' : 'I look.');
    }
  });

  test.each([
    'The last word is act',
    'I read it, see [1',
    'It is smaller if a <b',
    'Write `<tool_call>`',
    'I use `<tool_c',
    'It reads (as read(path) does',
    'The keys are:\n{"name": "Ada", "ag',
    'Done.<|im_e',
  ])('is an answer if no call was begun: %j', (text) => {
    expect(parseCompletion(text, tools, cutOff)).toMatchObject({ outcome: 'answer', problem: null });
  });
});
