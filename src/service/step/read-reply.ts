import type { OfferedTool } from '../../parsing/arguments/offered-tool.js';
import { withoutNul } from './history/json-values.js';
import type { Completion } from './provider.js';
import { readNative, writeReply } from './reply/read-native.js';
import { isRefusal, proseBefore, readProseBeside, readText } from './reply/read-text.js';
import { emptyReply, exactParse, type Reply } from './reply/reply.js';
import { expectsPlainText, prosePhaseOf, type Received, type ReplySituation } from './types.js';

/**
 * Reads a completion. Written actions are read by the parser; native calls are checked against the same tools.
 * Takes no abort signal, because a billed reply is read even after the deadline.
 */
export async function readReply(received: Received, situation: ReplySituation): Promise<Reply> {
  const { completion } = received;
  const read = await readAny(received, situation);
  const mayPropose = prosePhaseOf(situation.request) === undefined;
  const whole = completion.isTooLong && mayPropose ? withoutActions(read) : read;
  return mayEscape(completion) ? withoutNul(whole) : whole;
}

async function readAny(received: Received, situation: ReplySituation): Promise<Reply> {
  const { completion } = received;
  const read = () => readText(received, situation);
  if (isRefusal(completion)) return asRefusal(await read(), situation);
  if (completion.toolCalls.length === 0 || expectsPlainText(situation))
    return withWholeCalls(await read(), situation);
  return readNative(completion, await readProseBeside(received, situation), situation);
}

/**
 * Returns a refusal: the prose that the model wrote before it as the thought, and the words of the refusal, or that
 * prose if it has no words, as the answer. Never returns the text of an action.
 */
async function asRefusal(reply: Reply, situation: ReplySituation): Promise<Reply> {
  const { completion, thought, answer } = reply;
  const { text, refusal } = completion;
  const before = isUnfit(reply) ? await proseBefore(text, situation) : thought;
  const isAnswer = reply.parse.outcome === 'answer';
  const prose = [before, isAnswer && answer].filter(Boolean).join('\n\n');
  const parse = exactParse('refusal', null);
  return { ...reply, ...emptyReply, parse, thought: prose || null, answer: refusal || prose };
}

const isUnfit = ({ parse: { outcome } }: Reply): boolean =>
  outcome === 'unknown_tool' || outcome === 'malformed_action';

/**
 * Returns the complete actions of a reply whose tools are unknown or whose arguments are invalid, if the client
 * itself answers such calls with an error (rule: whole-calls).
 */
async function withWholeCalls(reply: Reply, situation: ReplySituation): Promise<Reply> {
  const { completion, parse } = reply;
  const { outcome, problem } = parse;
  if (!situation.clientTerms || !isUnfit(reply)) return reply;
  for (const offered of laxTools(situation.offered, outcome === 'unknown_tool')) {
    const lax = await readText({ completion }, { ...situation, offered });
    // A call without its closing mark may lack the arguments that the check misses.
    const mayBeCut = outcome === 'malformed_action' && lax.parse.repairs.includes('missing_close');
    if (lax.actions.length > 0 && !mayBeCut) return { ...lax, parse: { ...lax.parse, outcome, problem } };
  }
  return reply;
}

/**
 * Returns lists of tools with which to parse a complete call again that failed the check, in this order: the
 * request's tools without their schemas and, if the tool is unknown, an empty list, which allows any name.
 */
function laxTools(offered: readonly OfferedTool[], isUnknown: boolean): readonly OfferedTool[][] {
  const withoutSchemas = offered.map(({ name, parameters }) => ({ name, parameters }));
  return isUnknown ? [withoutSchemas, []] : [withoutSchemas];
}

/**
 * Withholds the actions of a reply that exceeded the maximum length, because without the end of the reply the
 * intention of the model is unknown. Native calls are converted to text; written calls are text already.
 */
function withoutActions(reply: Reply): Reply {
  const { completion, parse, actions } = reply;
  if (actions.length === 0) return reply;
  const answer = completion.toolCalls.length > 0 ? writeReply(completion, reply) : reply.answer;
  return { ...reply, parse: { ...parse, outcome: 'truncated' }, answer, actions: [] };
}

/** Returns whether an argument contains an escape that JSON parsing may have turned into a NUL. */
function mayEscape({ text, toolCalls }: Completion): boolean {
  return text.includes('\\') || toolCalls.some((call) => call.arguments.includes('\\'));
}
