import { isObject } from '../../../contract/fields.js';
import type { Parse } from '../../../contract/step.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { type NativeCallReading, readNativeCall } from '../../../parsing/native-call.js';
import { isTooDeep, parseJsonKeepingDigits, readExactJson } from '../../../parsing/text/exact-json.js';
import { isJsonObject, type JsonValue } from '../../../parsing/text/scanner.js';
import { ANSWER_PARAMETER } from '../prompt/answer-type.js';
import type { Completion, NativeToolCall } from '../provider.js';
import type { ReplySituation } from '../types.js';
import type { ProseBeside } from './read-text.js';
import { emptyReply, exactParse, type ReadAction, type Reply } from './reply.js';
import { answerText, valuesOf } from './typed-answer.js';

/** Reads a reply with native calls, and with the given prose beside them. */
export async function readNative(
  completion: Completion,
  { discarded, ...prose }: ProseBeside,
  situation: ReplySituation,
): Promise<Reply> {
  const empty = { completion, ...emptyReply, ...prose };
  const given = readAnswerCall(completion, situation);
  if (given) {
    const { text: answer, values: answerValues } = given;
    const parse = { ...exactParse('answer', 'native'), discarded };
    return { ...empty, parse, answerLabelled: true, answer, answerValues };
  }
  const readings = await checkCalls(completion, situation);
  const native = nativeParse(readings, completion);
  const parse = { ...native, discarded: [...discarded, ...native.discarded] };
  const first = readings[0]?.read;
  if (first?.outcome === 'answer') return { ...empty, parse, answerLabelled: true, answer: first.answer };
  const isHandedOver = situation.clientTerms !== undefined;
  const actions = readings.flatMap((each) => toActions(each, isHandedOver));
  const mayAct = isHandedOver ? actions.length > 0 : first?.outcome === 'action';
  if (mayAct) return { ...empty, parse, actions };
  // The answer contains the prose, unless the output limit cut the reply off.
  const thought = parse.outcome === 'truncated' ? prose.thought : null;
  return { ...empty, parse, thought, answer: writeReply(completion, prose) };
}

/** The answer that a native model gave by calling the reserved tool. */
interface AnswerCall {
  readonly text: string;
  readonly values: readonly JsonValue[];
}

/** Returns the answer if the first call of a reply is that of the reserved tool (rule: typed-answers). */
export function readAnswerCall(
  { toolCalls: [call], finishReason }: Completion,
  { answerType }: ReplySituation,
): AnswerCall | undefined {
  if (!call || call.name !== answerType?.tool?.name) return undefined;
  const written = call.arguments.trim();
  if (written === '' && finishReason === 'length') return undefined;
  const { value: given } = readExactJson(written || '{}');
  if (given === undefined) return { text: written, values: [] };
  const isWrapped = isJsonObject(given) && Object.keys(given).join() === ANSWER_PARAMETER;
  const value = isWrapped ? (given[ANSWER_PARAMETER] ?? null) : given;
  return { text: answerText(value), values: valuesOf(value) };
}

interface CheckedCall {
  readonly call: NativeToolCall;
  readonly read: NativeCallReading;
}

/** Checks native calls against the same tools and schemas as written calls. */
async function checkCalls(
  { toolCalls, finishReason }: Completion,
  { offered }: ReplySituation,
): Promise<CheckedCall[]> {
  const checked: CheckedCall[] = [];
  for (const call of toolCalls) {
    await yieldIfBusy();
    // The output limit can only have cut off the last call.
    const cut = call === toolCalls.at(-1) ? { finishReason } : {};
    checked.push({ call, read: readNativeCall(call, offered, cut) });
  }
  return checked;
}

/**
 * Summarizes the readings of all native calls. The first call determines the outcome of the reply (rule:
 * first-action-wins). If it is an action, later unreadable calls are discarded. Calls beyond the maximum number are
 * always discarded.
 */
function nativeParse(checked: readonly CheckedCall[], { unreadCallChars }: Completion): Parse {
  const outcome = checked[0]?.read.outcome ?? 'empty';
  const isAction = outcome === 'action';
  const repairs = isAction
    ? checked.flatMap(({ read }) => (read.outcome === 'action' ? read.repairs : []))
    : [];
  const bad = checked.filter(({ read }) => read.outcome !== 'action');
  const discarded = bad.map(({ call, read }) => ({ kind: read.outcome, chars: call.arguments.length }));
  const fault = bad[0]?.read;
  return {
    outcome,
    dialect: 'native',
    confidence: repairs.length > 0 ? 'repaired' : 'exact',
    repairs,
    discarded: [
      ...(isAction ? discarded : []),
      ...(unreadCallChars ? [{ kind: 'action', chars: unreadCallChars }] : []),
    ],
    problem: fault && 'problem' in fault ? fault.problem : null,
  };
}

/**
 * Returns a native call as an action, in a list that is empty if the tool or the arguments are invalid. With
 * `isHandedOver`, a call of an unknown tool or with invalid arguments is returned too, unless it is cut off or
 * unreadable (rule: whole-calls).
 */
function toActions({ call, read }: CheckedCall, isHandedOver: boolean): ReadAction[] {
  const { id, providerState } = call;
  const raw = writeCall(call);
  if (read.outcome === 'action')
    return [{ name: read.toolName, parameters: read.toolArgs, raw, id, providerState }];
  const isUnfit = read.outcome === 'unknown_tool' || read.outcome === 'malformed_action';
  const parameters = isHandedOver && isUnfit ? wholeArguments(call) : undefined;
  return parameters ? [{ name: call.name, parameters, raw, id, providerState }] : [];
}

/**
 * Returns the arguments of a native call that was not cut off, if they are one JSON object or empty. Numbers that
 * JavaScript cannot represent are strings of their digits.
 */
function wholeArguments({
  name,
  arguments: written,
}: NativeToolCall): Readonly<Record<string, unknown>> | undefined {
  if (name === '') return undefined;
  if (written.trim() === '') return {};
  try {
    const value = parseJsonKeepingDigits(written);
    return isObject(value) && !isTooDeep(written) ? value : undefined;
  } catch {
    return undefined; // cut or unreadable
  }
}

/** Returns the prose of a reply, without reasoning, and its native calls written as text. */
export function writeReply({ toolCalls }: Completion, { thought }: Pick<Reply, 'thought'>): string {
  return [thought, ...toolCalls.map(writeCall)].filter(Boolean).join('\n');
}

/** Returns the canonical form of a native call. */
function writeCall({ name, arguments: written }: NativeToolCall): string {
  return `${name}(${written.trim() || '{}'})`;
}
