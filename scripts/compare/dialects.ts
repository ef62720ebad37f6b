import type { ScriptedCompletion } from '../../src/offline/testing.js';

/** How a model writes calls and answers for an agent, as that agent's own prompt asks for it. */
export interface Dialect {
  /** A whole reply that calls a tool with one text. */
  readonly act: (tool: string, parameter: string, text: string) => ScriptedCompletion;
  /** A reply that is an answer, after some thinking aloud. */
  readonly answer: (text: string, thought?: string) => ScriptedCompletion;
  /** A call of `delete_all` whose argument is not closed, from a model that says it has finished. */
  readonly broken: ScriptedCompletion;
  /** A call of `delete_all` as a text would quote it. */
  readonly quoted: string;
  /** The language named at a fence around such a quotation. */
  readonly fenceLanguage?: string;
}

const thinking = 'I look.';
const json = (tool: string, parameter: string, text: string): string =>
  JSON.stringify({ name: tool, arguments: { [parameter]: text } });

/** Stepwise's own: `Action:` with a call, or `Final Answer:`. */
const call: Dialect = {
  act: (tool, parameter, text) => ({
    text: `Thought: ${thinking}\nAction: ${tool}(${parameter}=${JSON.stringify(text)})`,
  }),
  answer: (text, thought = thinking) => ({ text: `Thought: ${thought}\nFinal Answer: ${text}` }),
  broken: { text: `Thought: ${thinking}\nAction: delete_all(reason="ol` },
  quoted: 'Action: delete_all(reason="old")',
};

/** `Action:` and `Action Input:`; `input` says how an argument is written, `label` how an answer begins. */
const twoLines = (
  label: string,
  input: (parameter: string, text: string) => string,
  brokenInput: string,
): Dialect => ({
  act: (tool, parameter, text) => ({
    text: `Thought: ${thinking}\nAction: ${tool}\nAction Input: ${input(parameter, text)}`,
  }),
  answer: (text, thought = thinking) => ({ text: `Thought: ${thought}\n${label} ${text}` }),
  broken: { text: `Thought: ${thinking}\nAction: delete_all\nAction Input: ${brokenInput}` },
  quoted: `Action: delete_all\nAction Input: ${input('reason', 'old')}`,
});
const asObject = (parameter: string, text: string): string => JSON.stringify({ [parameter]: text });

/** The vendor's own tool calls; a reply without one is an answer. */
const native: Dialect = {
  act: (tool, parameter, text) => ({
    text: thinking,
    toolCalls: [{ name: tool, arguments: { [parameter]: text } }],
  }),
  answer: (text, thought) => ({ text: thought === undefined ? text : `${thought}\n\n${text}` }),
  broken: { text: thinking, toolCalls: [{ name: 'delete_all', arguments: '{"reason": "ol' }] },
  quoted: json('delete_all', 'reason', 'old'),
};

/** smolagents: native calls, of which one gives the answer. */
const nativeFinal: Dialect = {
  ...native,
  answer: (text, thought = thinking) => ({
    text: thought,
    toolCalls: [{ name: 'final_answer', arguments: { answer: text } }],
  }),
};

/** smolagents where a model has no tool calls: JSON in the text. */
const jsonFinal: Dialect = {
  act: (tool, parameter, text) => ({ text: `${thinking}\n${json(tool, parameter, text)}` }),
  answer: (text, thought = thinking) => ({ text: `${thought}\n${json('final_answer', 'answer', text)}` }),
  broken: { text: `${thinking}\n{"name": "delete_all", "arguments": {"reason": "ol` },
  quoted: json('delete_all', 'reason', 'old'),
  fenceLanguage: 'json',
};

/** smolagents' `CodeAgent`: Python between tags. */
const code: Dialect = {
  act: (tool, parameter, text) => ({
    text: `${thinking}\n<code>\nprint(${tool}(${parameter}=${JSON.stringify(text)}))\n</code>`,
  }),
  answer: (text, thought = thinking) => ({
    text: `${thought}\n<code>\nfinal_answer(${JSON.stringify(text)})\n</code>`,
  }),
  broken: { text: `${thinking}\n<code>\ndelete_all(reason="ol\n</code>` },
  quoted: 'delete_all(reason="old")',
  fenceLanguage: 'py',
};

export const dialects = {
  call,
  native,
  /** A native model's quotation in the words of Stepwise's text protocol, which Stepwise reads whatever it teaches. */
  nativeOrCall: { ...native, quoted: call.quoted },
  plainInput: twoLines('Final Answer:', (_, text) => text, '"ol'),
  objectInput: twoLines('Final Answer:', asObject, '{"reason": "ol'),
  objectInputAnswer: twoLines('Answer:', asObject, '{"reason": "ol'),
  nativeFinal,
  jsonFinal,
  code,
} satisfies Record<string, Dialect>;
