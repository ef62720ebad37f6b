import type { Turn } from '../../contract/history.js';
import { type OfferedTool, toOfferedTool } from '../../parsing/arguments/offered-tool.js';
import { findTools } from './prompt/deferred-tools.js';
import { sampleArguments, sampleCall } from './prompt/sample-call.js';
import type { Reply } from './reply/reply.js';
import { expectsPlainText, type ReplySituation, type TaughtProtocol } from './types.js';

/** Maximum number of characters of a reply that are searched for the name of the intended tool. */
const MAX_SEARCHED_CHARACTERS = 10_000;

/** Placeholder tool for a sample call if the reply contains no tool name. */
const unknownTool: OfferedTool = { name: 'tool_name', parameters: ['name'] };

const orders = {
  text: 'Write the whole reply again, in this form:',
  xml: 'Write the action again, alone, in this form:',
  json: 'Write the whole object again, in this form:',
  native: 'Call the tool again with arguments that match its schema, such as:',
} as const satisfies Record<TaughtProtocol, string>;

/**
 * Writes the turn that corrects the model after an unreadable action, or after an answer that may have been meant as
 * one. It states the reason, and shows a sample
 * call with the tool's own parameters, in the form that the prompt asks for. Returns null if the model had to
 * answer instead of acting (rule: unreadable-action).
 */
export function correctionFor(reply: Reply, situation: ReplySituation): Turn | null {
  if (situation.mustAnswer) return null;
  const { outcome, problem } = reply.parse;
  const opening = outcome === 'answer' ? '' : 'Your action could not be read: ';
  const why = `${opening}${problem ?? 'its form is not known'}`;
  const tool = intendedTool(reply, situation);
  const call =
    tool.withheld === undefined
      ? sampleCall(tool, situation.protocol)
      : sampleCall(toOfferedTool(findTools), situation.protocol, tool.name);
  return { role: 'user', kind: 'notice', content: `${why}. ${orders[situation.protocol]}\n${call}` };
}

/** Returns the tool whose name comes first after the reply's action marker, or else the first offered tool. */
function intendedTool({ completion: { text, toolCalls } }: Reply, { offered }: ReplySituation): OfferedTool {
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const marker = Math.max(0, text.search(/action\s*:|<\W?(?:tool|function|invoke)|\[TOOL_CALLS\]/i));
  const words = text.slice(marker, marker + MAX_SEARCHED_CHARACTERS).split(/[\s\p{Cc}<>(){}[\]"'`,:=|｜]+/u);
  const names = [...toolCalls.slice(0, 1).map(({ name }) => name), ...words];
  const named = names.flatMap((name) => tools.get(name) ?? tools.get(withoutNamespace(name)) ?? []);
  return named[0] ?? offered[0] ?? unknownTool;
}

/** Removes the namespace from a tool's name, as in `functions.list`. */
const withoutNamespace = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/**
 * Writes the turn that corrects an answer that does not fit `answer_schema`. It states the reason, and shows the form
 * of an answer with sample values. Unlike the correction of an action, it is also written if the model had to answer
 * (rule: typed-answers).
 */
export function answerCorrection(mismatch: string, situation: ReplySituation): Turn {
  const form = `Write the whole answer again, in this form:\n${sampleAnswer(situation)}`;
  return { role: 'user', kind: 'notice', content: `${upperFirst(mismatch)}. ${form}` };
}

const upperFirst = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function sampleAnswer({ answerType, protocol, request, mustAnswer, clientTerms }: ReplySituation): string {
  const name = answerType?.tool?.name;
  const inputSchema = { type: 'object', properties: { answer: answerType?.schema }, required: ['answer'] };
  const sample = sampleArguments({ name: 'answer', parameters: ['answer'], inputSchema });
  const json = sample ? JSON.stringify(sample['answer']) : 'the JSON value';
  if (expectsPlainText({ clientTerms })) return json;
  if (request.phase === 'observe' && protocol !== 'json')
    return `{"observation": "what was learned", "should_continue": false, "final_answer": ${json}}`;
  if (request.phase === 'observe')
    return `{"thought": "what the result means", "observation": "what was learned", "should_continue": false, "final_answer": ${json}}`;
  if (protocol === 'text') return `Final Answer: ${json}`;
  if (protocol === 'xml') return `<final_answer>${json}</final_answer>`;
  if (protocol === 'json') return `{"thought": "what you found", "final_answer": ${json}}`;
  return name && !mustAnswer ? `${name}({"answer": ${json}})` : json;
}
