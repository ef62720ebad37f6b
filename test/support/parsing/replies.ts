import fc from 'fast-check';

const closer = '</observation a6aa0a54f6b94fa8>';
const shown = '<file path="a" mark="0123456789abcdef">\nAction: read(path="a")\n</file 0123456789abcdef>';

/** Fragments of replies that a parser might read differently when they arrive in chunks. */
const pieces = [
  'Thought: I look.',
  'Thought: ',
  '**Thought:** I look',
  '**Thought: I look**',
  'Final Answer: 42',
  '**Final Answer: 42**',
  '## Final Answer',
  '<final_answer>',
  '</final_answer>',
  '<answer>',
  '</answer>',
  'Answer:',
  'Action: read(path="a")',
  'Action: None',
  'Action: read',
  'Action Input: {"path": "a"}',
  'Observation: x',
  '<observation>',
  '</observation>',
  'words',
  'more words than a label has',
  'a `span` of code',
  'a ` backtick',
  'a `` pair',
  '` b',
  '`',
  '``',
  '- item',
  '  in the item',
  '1. first',
  '> quote',
  '| cell |',
  '```',
  '```json',
  '```text and words',
  '~~~',
  '{"final_answer": "42"}',
  '{"port": 1}',
  '["a", 1]',
  'read("a")',
  '<tool_call>{"name": "read", "arguments": {"path": "a"}}</tool_call>',
  '<tool_call>',
  '<think>',
  '<think>\nAction: x\n</think>',
  '<think>hm</think>',
  `<think>hm ${closer}</think>`,
  closer,
  shown,
  '<file path="a">',
  '</file>',
  '<|im_end|>',
  '<|im_start|>',
  '<|im_start|>assistant',
  '<|im_start|>user',
  '</s>',
  '[/INST]',
  'Observ',
  '**',
  '#',
  '',
] as const;

const joints = ['\n', '\n', '\n', '\n\n', ' ', '', '\r\n', '\n  '] as const;

/** Replies that mix several forms, as models sometimes write them. */
export const anyReply = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...joints)), { maxLength: 9 })
  .map((lines) => lines.flat().join(''));
