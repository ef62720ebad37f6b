import type { Parse } from '../../../sdk/index.js';

/** Describes each parse outcome. */
export const outcomes: Readonly<Record<Parse['outcome'], string>> = {
  answer: 'An answer',
  action: 'A call to a tool',
  malformed_action: 'A call that could not be read',
  unknown_tool: 'A call to a tool that was not offered',
  action_after_limit: 'A call after the last step, which was not proposed',
  truncated: 'A call that was cut off by the output limit',
  refusal: 'A refusal',
  empty: 'Nothing',
};

export const dialects: Readonly<Record<NonNullable<Parse['dialect']>, string>> = {
  call: 'Action: tool(name=value)',
  action_input: 'Action and Action Input',
  json: 'a JSON object',
  tag: 'tags',
  bracket: 'tool[argument]',
  bare: 'a bare call without a label',
  native: "the provider's own tool calling",
  json_block: 'a mark and a JSON object',
  json_list: 'a mark and a JSON list',
  name_json: 'a name and a JSON object',
  function_tag: '<function=…> tags',
  invoke: '<invoke> tags',
  arg_pairs: 'pairs of keys and values',
  element: 'an element for each argument',
  python: 'Python calls',
  gemma: "Gemma's notation",
  xtml: 'typed tags (Kimi K3)',
};

export const confidences: Readonly<Record<Parse['confidence'], string>> = {
  exact: 'Parsed without repairs',
  repaired: 'Parsed after repairs or assumptions',
  constrained: 'Guaranteed by the tool schema that the provider enforced',
};
