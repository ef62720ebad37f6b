import type { Parse } from '../../contract/step.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { IncrementalParser } from '../../parsing/incremental-parser.js';
import { type NativeCallReading, readNativeCall } from '../../parsing/native-call.js';
import { type ParsedCompletion, type ParseOptions, parseCompletion } from '../../parsing/parse-completion.js';
import {
  ObjectReplyReader,
  type ReaderOptions,
} from '../../parsing/structured/reading/object-reply-reader.js';
import { withoutNul } from './history/json-values.js';
import type { Completion, NativeToolCall } from './provider.js';
import { takeAsAnswer } from './reply/plain.js';
import { laxTools, wholeArguments } from './reply/whole-calls.js';
import { isPlain, type Received, type ReplySituation, type TextReading } from './types.js';

/** An action that may be proposed: the tool is offered, and its arguments passed the check. */
export interface ReadAction {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The call as written. For a native call, its canonical form. */
  readonly raw: string;
  /** The provider's id of a native call. */
  readonly id?: string;
  /** State for the turn of a native call. */
  readonly providerState?: unknown;
}

/** A parsed reply of the model, with written or native calls. */
export interface Reply {
  readonly completion: Completion;
  readonly parse: Parse;
  readonly thought: string | null;
  /** True if the answer has a label: `Final Answer:` or `<final_answer>`. */
  readonly answerLabelled: boolean;
  /** The text for the user: an answer, or the whole text if an action could not be read. */
  readonly answer: string | null;
  /** Contains several actions only if the model called natively, or in a native format in its text. */
  readonly actions: readonly ReadAction[];
  readonly reasoning: string | null;
}

/**
 * Reads a completion: the parser reads written actions; native calls are checked against the same tools. There
 * is no abort signal, because a billed reply is read even after the deadline.
 */
export async function readReply(
  { completion, reading }: Received,
  situation: ReadingSituation,
): Promise<Reply> {
  const isNative = completion.toolCalls.length > 0 && !isRefusal(completion) && !isUnread(situation);
  const read = isNative
    ? await readNativeCalls(completion, situation)
    : withWholeCalls(readText({ completion, reading }, situation), completion, situation);
  const whole = completion.isTooLong && mayPropose(situation) ? withoutActions(read, completion) : read;
  return { completion, ...(mayEscape(completion) ? withoutNul(whole) : whole) };
}

const isUnread = ({ terms }: ReadingSituation): boolean => isPlain({ terms });

/**
 * Hands over the calls of a reply that are whole but do not fit, for a client that answers the model with its own error
 * (rule: whole-calls).
 */
function withWholeCalls(
  read: ReadCompletion,
  completion: Completion,
  situation: ReadingSituation,
): ReadCompletion {
  const { outcome } = read.parse;
  const isUnfit = outcome === 'unknown_tool' || outcome === 'malformed_action';
  if (!situation.terms || !isUnfit) return read;
  for (const offered of laxTools(situation.offered, outcome === 'unknown_tool')) {
    const lax = readText({ completion }, { ...situation, offered });
    if (lax.actions.length > 0)
      return { ...lax, parse: { ...lax.parse, outcome, problem: read.parse.problem } };
  }
  return read;
}

/** Returns whether the phase allows an action. In `reason` and `observe`, an action is prose (rule: phases). */
function mayPropose({ request }: ReadingSituation): boolean {
  return request?.phase !== 'reason' && request?.phase !== 'observe';
}

/**
 * Withholds the actions of a reply that exceeded the maximum length, because its end, and so the model's
 * intent, is unknown. Native calls are written as text; written calls already are.
 */
function withoutActions(read: ReadCompletion, completion: Completion): ReadCompletion {
  if (read.actions.length === 0) return read;
  const answer = completion.toolCalls.length > 0 ? writeReply(completion) : read.answer;
  return { ...read, parse: { ...read.parse, outcome: 'truncated' }, answer, actions: [] };
}

/** Returns whether an escape in an argument may have become a NUL. */
function mayEscape({ text, toolCalls }: Completion): boolean {
  return text.includes('\\') || toolCalls.some((call) => call.arguments.includes('\\'));
}

type ReadCompletion = Omit<Reply, 'completion'>;

/** The parts of a situation that decide how a reply is read. */
type ReadingSituation = Pick<ReplySituation, 'offered' | 'protocol'> &
  Partial<Pick<ReplySituation, 'replyFormat' | 'request' | 'terms'>>;

export function objectReaderOptions({ offered, replyFormat, request }: ReadingSituation): ReaderOptions {
  const { phase } = request ?? {};
  return {
    tools: offered,
    restoreArguments: replyFormat?.restoreArguments ?? ((_, value) => value),
    answerKey: replyFormat?.answerKey,
    phase: phase === 'reason' || phase === 'observe' ? phase : undefined,
  };
}

function isRefusal({ refusal, finishReason }: Completion): boolean {
  return refusal !== null || finishReason === 'refusal';
}

function readText(received: Received, situation: ReadingSituation): ReadCompletion {
  const { completion } = received;
  if (isRefusal(completion)) return readRefusal(completion);
  if (isUnread(situation)) return fromParsed(takeAsAnswer(completion.text, completion));
  if (situation.protocol === 'json') return readObjectReply(received, situation);
  const options = readingOptions(completion, situation);
  const parsed = received.reading?.completion ?? parseCompletion(completion.text, situation.offered, options);
  const isCut = parsed.outcome === 'truncated';
  return fromParsed(isCut ? { ...parsed, thought: proseBefore(completion.text, situation) } : parsed);
}

/** Returns the prose before an action that was cut off, which a stream has sent as the thought. */
function proseBefore(text: string, { offered }: ReadingSituation): string | null {
  const prose = new IncrementalParser(offered).push(text).filter(({ type }) => type !== 'reasoning');
  return prose.map(({ delta }) => delta).join('') || null;
}

/** Returns the options for reading a reply's text. */
export function readingOptions(
  { finishReason, refusal, reasoning }: Completion,
  { protocol }: Pick<ReadingSituation, 'protocol'>,
): ParseOptions {
  return {
    finishReason: refusal === null ? finishReason : 'refusal',
    reasoning,
    labelsExpected: protocol !== 'native',
  };
}

/**
 * Reads a reply in one JSON object. If the provider enforced the schema, the parsed reply is trusted to conform
 * to it.
 */
function readObjectReply({ completion, reading }: Received, situation: ReadingSituation): ReadCompletion {
  const { isConstrained } = completion;
  const { replyFormat: requested, ...taught } = situation;
  // The streamed reading assumed that the provider would enforce the schema.
  const { completion: parsed, isWhole } =
    reading && (isConstrained || !requested)
      ? reading
      : readObject(completion, isConstrained ? situation : taught);
  const read = fromParsed(parsed);
  const isComplete = parsed.action !== null || (parsed.outcome === 'answer' && parsed.problem === null);
  if (!isConstrained || !isWhole || !isComplete) return read;
  return { ...read, parse: { ...read.parse, confidence: 'constrained' } };
}

function readObject(completion: Completion, situation: ReadingSituation): TextReading {
  const reader = new ObjectReplyReader(objectReaderOptions(situation));
  return reader.read(completion.text, readingOptions(completion, situation));
}

function fromParsed(parsed: ParsedCompletion): ReadCompletion {
  const { outcome, dialect, confidence, repairs, discarded, problem } = parsed;
  return {
    parse: { outcome, dialect, confidence, repairs: [...repairs], discarded: [...discarded], problem },
    thought: parsed.thought,
    answerLabelled: parsed.answerLabelled,
    answer: parsed.answer,
    actions: toActions(parsed),
    reasoning: parsed.reasoning,
  };
}

const unlabelled = { thought: null, answerLabelled: false, actions: [] } as const;

const refused: Parse = {
  outcome: 'refusal',
  dialect: null,
  confidence: 'exact',
  repairs: [],
  discarded: [],
  problem: null,
};

function readRefusal({ text, refusal, reasoning }: Completion): ReadCompletion {
  return { parse: refused, answer: text || refusal, reasoning, ...unlabelled };
}

/** Checks native calls against the same tools and schemas as written calls. */
async function readNativeCalls(
  completion: Completion,
  { offered, terms }: ReadingSituation,
): Promise<ReadCompletion> {
  const { finishReason, reasoning, toolCalls } = completion;
  const readings: NativeReading[] = [];
  for (const call of toolCalls) {
    await yieldIfBusy();
    readings.push({ call, read: readNativeCall(call, offered, { finishReason }) });
  }
  const parse = nativeParse(readings, completion);
  const thought = completion.text.trim() || null;
  const first = readings[0]?.read;
  if (first?.outcome === 'answer')
    return { parse, reasoning, answer: first.answer, ...unlabelled, thought, answerLabelled: true };
  const actions = readings.flatMap((each) => toNativeActions(each, terms ? completion : undefined));
  const mayAct = terms ? actions.length > 0 : first?.outcome === 'action';
  if (!mayAct) {
    return { parse, answer: writeReply(completion), reasoning, ...unlabelled };
  }
  return {
    parse,
    reasoning,
    answer: null,
    ...unlabelled,
    thought,
    actions,
  };
}

interface NativeReading {
  readonly call: NativeToolCall;
  readonly read: NativeCallReading;
}

/**
 * Summarizes the reading of native calls. The first call decides what the reply is (rule: first-action-wins).
 * If it is an action, later unreadable calls are discarded. Calls beyond the maximum number always are.
 */
function nativeParse(readings: readonly NativeReading[], { unreadCallChars }: Completion): Parse {
  const outcome = readings[0]?.read.outcome ?? 'empty';
  const good =
    outcome === 'action' ? readings.flatMap(({ read }) => (read.outcome === 'action' ? read : [])) : [];
  const bad = readings.filter(({ read }) => read.outcome !== 'action');
  const discarded = bad.map(({ call, read }) => ({ kind: read.outcome, chars: call.arguments.length }));
  return {
    outcome,
    dialect: 'native',
    confidence: good.some(({ repairs }) => repairs.length > 0) ? 'repaired' : 'exact',
    repairs: good.flatMap(({ repairs }) => repairs),
    discarded: [
      ...(outcome === 'action' ? discarded : []),
      ...(unreadCallChars ? [{ kind: 'action', chars: unreadCallChars }] : []),
    ],
    problem: problemOf(bad[0]?.read),
  };
}

const problemOf = (read: NativeCallReading | undefined): string | null =>
  read && 'problem' in read ? read.problem : null;

/** Returns a call that may be proposed, or handed over from `whole`, although it does not fit (rule: whole-calls). */
function toNativeActions({ call, read }: NativeReading, whole: Completion | undefined): ReadAction[] {
  const { id, providerState } = call;
  const raw = writeCall(call);
  if (read.outcome === 'action')
    return [{ name: read.toolName, parameters: read.toolArgs, raw, id, providerState }];
  const isUnfit = read.outcome === 'unknown_tool' || read.outcome === 'malformed_action';
  const parameters = whole && isUnfit ? wholeArguments(call, whole.finishReason === 'length') : undefined;
  return parameters ? [{ name: call.name, parameters, raw, id, providerState }] : [];
}

function toActions(parsed: ParsedCompletion): ReadAction[] {
  if (parsed.outcome !== 'action') return [];
  const actions = [parsed.action, ...(parsed.additionalActions ?? [])];
  return actions.map(({ toolName, toolArgs, raw }) => ({ name: toolName, parameters: toolArgs, raw }));
}

/** Writes a reply with native calls as text. */
function writeReply({ text, toolCalls }: Completion): string {
  return [text.trim(), ...toolCalls.map(writeCall)].filter(Boolean).join('\n');
}

/** Returns the canonical form of a native call. */
function writeCall({ name, arguments: written }: NativeToolCall): string {
  return `${name}(${written.trim() || '{}'})`;
}
