import type { Turn } from '../../../contract/history.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import type { Reply } from '../read-reply.js';
import type { ReplySituation } from '../read-situation.js';
import type { TaughtProtocol } from './render-unit.js';
import { sampleCall } from './sample-call.js';

/** So much of a reply is searched for the tool that was meant. */
const SEARCHED_CHARACTERS = 10_000;

/** The form of a call where no tool could be read from the request. */
const unknownTool: OfferedTool = { name: 'tool_name', parameters: ['name'] };

const orders = {
  text: 'Write the whole reply again, in this form:',
  xml: 'Write the action again, alone, in this form:',
  json: 'Write the whole object again, in this form:',
  native: 'Call the tool again with arguments that match its schema, such as:',
} as const satisfies Record<TaughtProtocol, string>;

/**
 * What to say to the model after an action that could not be read: why, and the very call that is wanted, in the
 * taught form and with the tool's own parameters. Null if an answer was ordered (rule: unreadable-action).
 */
export function correctionFor(reply: Reply, situation: ReplySituation): Turn | null {
  if (situation.mustAnswer) return null;
  const { outcome, problem } = reply.parse;
  const opening = outcome === 'answer' ? '' : 'Your action could not be read: ';
  const why = `${opening}${problem ?? 'its form is not known'}`;
  const call = sampleCall(meantTool(reply, situation), situation.protocol);
  return { role: 'user', kind: 'notice', content: `${why}. ${orders[situation.protocol]}\n${call}` };
}

/** The offered tool that the reply names first after its marker; else the first one. */
function meantTool({ completion: { text, toolCalls } }: Reply, { offered }: ReplySituation): OfferedTool {
  const tools = new Map(offered.map((tool) => [tool.name, tool]));
  const marker = Math.max(0, text.search(/action\s*:|<(?:tool|function)_/i));
  const words = text.slice(marker, marker + SEARCHED_CHARACTERS).split(/[\s\p{Cc}<>(){}[\]"'`,:]+/u);
  const names = [...toolCalls.slice(0, 1).map(({ name }) => name), ...words];
  const named = names.flatMap((name) => tools.get(name) ?? tools.get(withoutNamespace(name)) ?? []);
  return named[0] ?? offered[0] ?? unknownTool;
}

/** `functions.list` means `list`. */
const withoutNamespace = (name: string): string => name.slice(name.lastIndexOf('.') + 1);
