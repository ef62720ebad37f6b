import type { Parse } from '../../contract/step.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import type { ParseDelta } from '../../parsing/delta-writer.js';
import { IncrementalParser } from '../../parsing/incremental-parser.js';
import { type NativeCallReading, readNativeCall } from '../../parsing/native-call.js';
import {
  type ParsedCompletion,
  type ParseOptions,
  parseCompletionPausing,
} from '../../parsing/parse-completion.js';
import {
  ObjectReplyReader,
  type ReaderOptions,
} from '../../parsing/structured/reading/object-reply-reader.js';
import { readExactJson } from '../../parsing/text/exact-json.js';
import { isJsonObject, type JsonValue, Scanner } from '../../parsing/text/scanner.js';
import { withoutNul } from './history/json-values.js';
import { ANSWER_PARAMETER } from './prompt/answer-tool.js';
import type { Completion, NativeToolCall } from './provider.js';
import { partsOf } from './reply/parts-of.js';
import { takeAsAnswer } from './reply/plain.js';
import { answerText, fits, roundedValuesIn, valuesIn, valuesOf } from './reply/typed-answer.js';
import { laxTools, wholeArguments } from './reply/whole-calls.js';
import { expectsPlainText, type Received, type ReplySituation, type TextReading } from './types.js';

/** An action that may be proposed: its tool is offered, and its arguments passed the check. */
export interface ReadAction {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The text of the call as the model wrote it. For a native call, its canonical form. */
  readonly raw: string;
  /** The provider's id of a native call. */
  readonly id?: string;
  /** State for the turn of a native call. */
  readonly providerState?: unknown;
}

/** A parsed reply of the model. Its calls may be written in the text or native. */
export interface Reply {
  readonly completion: Completion;
  readonly parse: Parse;
  readonly thought: string | null;
  /** True if the answer follows the label `Final Answer:` or is in `<final_answer>`. */
  readonly answerLabelled: boolean;
  /** The text for the user: an answer, or the whole text if an action could not be read; null if there is none. */
  readonly answer: string | null;
  /**
   * The proposed actions. There can be several only in native calling, or in a vendor's native format within the
   * text.
   */
  readonly actions: readonly ReadAction[];
  readonly reasoning: string | null;
  /** With `answer_schema`: the JSON values that the answer may have, the most likely first (rule: typed-answers). */
  readonly answerValues?: readonly JsonValue[];
}

/**
 * Reads a completion. Written actions are read by the parser; native calls are checked against the same tools.
 * Takes no abort signal, because a billed reply is read even after the deadline.
 */
export async function readReply(
  { completion, reading }: Received,
  situation: ReadingSituation,
): Promise<Reply> {
  const read = await readAny({ completion, reading }, situation);
  const whole = completion.isTooLong && mayPropose(situation) ? withoutActions(read, completion) : read;
  return { completion, ...(mayEscape(completion) ? withoutNul(whole) : whole) };
}

async function readAny(received: Received, situation: ReadingSituation): Promise<ReadCompletion> {
  const { completion } = received;
  const isNative = completion.toolCalls.length > 0 && !isRefusal(completion) && !expectsPlainText(situation);
  if (!isNative) return withWholeCalls(await readText(received, situation), completion, situation);
  const answer = readAnswerCall(completion, situation);
  const prose = await readProseBeside(received, situation);
  return answer ? fromAnswerCall(answer, prose) : readNativeCalls(completion, prose, situation);
}

/**
 * Returns the complete actions of a reply whose tools are unknown or whose arguments are invalid, if the client
 * itself answers such calls with an error (rule: whole-calls).
 */
async function withWholeCalls(
  read: ReadCompletion,
  completion: Completion,
  situation: ReadingSituation,
): Promise<ReadCompletion> {
  const { outcome } = read.parse;
  const isUnfit = outcome === 'unknown_tool' || outcome === 'malformed_action';
  if (!situation.clientTerms || !isUnfit) return read;
  for (const offered of laxTools(situation.offered, outcome === 'unknown_tool')) {
    const lax = await readText({ completion }, { ...situation, offered });
    // A call without its closing mark may lack the arguments that the check misses.
    const mayBeCut = outcome === 'malformed_action' && lax.parse.repairs.includes('missing_close');
    if (lax.actions.length > 0 && !mayBeCut)
      return { ...lax, parse: { ...lax.parse, outcome, problem: read.parse.problem } };
  }
  return read;
}

/** Returns whether the phase allows an action. In `reason` and `observe`, an action is prose (rule: phases). */
function mayPropose({ request }: ReadingSituation): boolean {
  return request?.phase !== 'reason' && request?.phase !== 'observe';
}

/**
 * Withholds the actions of a reply that exceeded the maximum length, because without the end of the reply the
 * intention of the model is unknown. Native calls are converted to text; written calls are text already.
 */
function withoutActions(read: ReadCompletion, completion: Completion): ReadCompletion {
  if (read.actions.length === 0) return read;
  const answer = completion.toolCalls.length > 0 ? writeReply(completion, read) : read.answer;
  return { ...read, parse: { ...read.parse, outcome: 'truncated' }, answer, actions: [] };
}

/** Returns whether an argument contains an escape that JSON parsing may have turned into a NUL. */
function mayEscape({ text, toolCalls }: Completion): boolean {
  return text.includes('\\') || toolCalls.some((call) => call.arguments.includes('\\'));
}

type ReadCompletion = Omit<Reply, 'completion'>;

/** The parts of a situation that decide how a reply is read. */
type ReadingSituation = Pick<ReplySituation, 'offered' | 'protocol'> &
  Partial<Pick<ReplySituation, 'replyFormat' | 'answerType' | 'request' | 'clientTerms'>>;

export function objectReaderOptions(situation: ReadingSituation): ReaderOptions {
  const { offered, replyFormat, answerType, request } = situation;
  const { phase } = request ?? {};
  return {
    tools: offered,
    hasJsonAnswer: answerType !== undefined,
    restoreArguments: replyFormat?.restoreArguments ?? ((_, value) => value),
    answerKey: replyFormat?.answerKey,
    phase: phase === 'reason' || phase === 'observe' ? phase : undefined,
  };
}

function isRefusal({ refusal, finishReason }: Completion): boolean {
  return refusal !== null || finishReason === 'refusal';
}

async function readText(received: Received, situation: ReadingSituation): Promise<ReadCompletion> {
  const { completion } = received;
  const read = await readWritten(received, situation);
  return isRefusal(completion) ? asRefusal(read, completion, situation) : read;
}

async function readWritten(received: Received, situation: ReadingSituation): Promise<ReadCompletion> {
  const { completion } = received;
  if (expectsPlainText(situation)) return readPlain(completion, situation);
  if (situation.protocol === 'json') return readObjectReply(received, situation);
  const { completion: parsed } = received.reading ?? (await readTextAlone(completion, situation));
  const isCut = parsed.outcome === 'truncated';
  const read = fromParsed(
    isCut ? { ...parsed, thought: await proseBefore(completion.text, situation) } : parsed,
  );
  return withAnswerValues(read, completion, situation);
}

/**
 * Reads the whole text as the answer. If the step has `answer_schema` and the whole text does not fit it, but a
 * labelled answer in the text does, reads that answer (rule: compatible-answer-formats).
 */
async function readPlain(completion: Completion, situation: ReadingSituation): Promise<ReadCompletion> {
  const plain = withAnswerValues(
    fromParsed(takeAsAnswer(completion.text, completion)),
    completion,
    situation,
  );
  const { answerType } = situation;
  if (!answerType || fits(plain.answerValues ?? [], answerType.schema)) return plain;
  const options = readingOptions(completion, situation);
  const parsed = fromParsed(await parseCompletionPausing(completion.text, [], options, yieldIfBusy));
  const labelled = withAnswerValues(parsed, completion, situation);
  const isBetter = labelled.answerLabelled && fits(labelled.answerValues ?? [], answerType.schema);
  return isBetter ? labelled : plain;
}

/**
 * Adds the JSON values that an answer may have, based on its text. If the whole reply fits the schema, it is always
 * the answer, unless it is an action (rule: typed-answers).
 */
function withAnswerValues(
  read: ReadCompletion,
  completion: Completion,
  situation: ReadingSituation,
): ReadCompletion {
  const { answerType, request } = situation;
  if (!answerType) return read;
  const isTaughtAlone = situation.protocol === 'native' || expectsPlainText(situation);
  const isEnforced = completion.isConstrained && Boolean(situation.replyFormat?.schema) && isTaughtAlone;
  const values = (text: string) => [
    ...(isEnforced ? restoredValues(valuesIn(text), situation) : valuesIn(text)),
    // A client of a compatible endpoint gets the text as written, so its numbers may be rounded for the check.
    ...(situation.clientTerms ? roundedValuesIn(text) : []),
  ];
  const own = read.parse.outcome === 'answer' ? values(read.answer ?? '') : [];
  if (request?.phase) return { ...read, answerValues: own };
  if (fits(own, answerType.schema)) return asAnswer({ ...read, answerValues: own }, isEnforced);
  const whole = values(completion.text);
  const isAnswer = (read.parse.outcome !== 'action' || isEnforced) && fits(whole, answerType.schema);
  if (!isAnswer) return { ...read, answerValues: own };
  return asAnswer(
    { ...read, ...emptyReading, answer: completion.text.trim(), answerValues: whole },
    isEnforced,
  );
}

/** Turns a reply into an answer, and removes the problem that parsing had found. */
function asAnswer(read: ReadCompletion, isEnforced: boolean): ReadCompletion {
  const { parse } = read;
  const confidence = isEnforced && parse.repairs.length === 0 ? 'constrained' : parse.confidence;
  return { ...read, parse: { ...parse, outcome: 'answer', dialect: null, problem: null, confidence } };
}

/**
 * Returns the possible answers: first the values converted from the provider's schema to the caller's, then the
 * unconverted values.
 */
function restoredValues(values: readonly JsonValue[], { replyFormat }: ReadingSituation): JsonValue[] {
  const restored = values.flatMap((value) => {
    const back = replyFormat?.restoreAnswer?.(value, new Scanner('', 0));
    return back === undefined ? [] : [back];
  });
  return [...restored, ...values];
}

/** Returns the prose before an action that was cut off. A stream has already sent this prose as the thought. */
async function proseBefore(text: string, { offered }: ReadingSituation): Promise<string | null> {
  const parser = new IncrementalParser(offered);
  const deltas: ParseDelta[] = [];
  for (const part of partsOf(text)) {
    await yieldIfBusy();
    deltas.push(...parser.push(part));
  }
  const prose = deltas.filter(({ type }) => type !== 'reasoning');
  return prose.map(({ delta }) => delta).join('') || null;
}

/** Returns the options for reading a reply's text. A refusal cuts the text off as the output limit does. */
export function readingOptions(
  completion: Completion,
  { protocol }: Pick<ReadingSituation, 'protocol'>,
): ParseOptions {
  return {
    finishReason: isRefusal(completion) ? 'length' : completion.finishReason,
    reasoning: completion.reasoning,
    labelsExpected: protocol !== 'native',
  };
}

/**
 * Reads a reply in one JSON object. If the provider enforced the schema, the parsed reply is trusted to conform
 * to it.
 */
async function readObjectReply(
  { completion, reading }: Received,
  situation: ReadingSituation,
): Promise<ReadCompletion> {
  const { isConstrained } = completion;
  const { replyFormat: requested, ...withoutFormat } = situation;
  // If the provider did not enforce the schema, the text must be parsed again, because the streamed parsing assumed
  // that the schema was enforced.
  const read =
    reading && (isConstrained || !requested)
      ? reading
      : await readObject(completion, isConstrained ? situation : withoutFormat);
  const { completion: parsed, isWhole } = read;
  const reply = withObjectAnswer(fromParsed(parsed), read, { completion, situation });
  const isComplete = parsed.action !== null || (parsed.outcome === 'answer' && parsed.problem === null);
  if (!isConstrained || !isWhole || !isComplete) return reply;
  return { ...reply, parse: { ...reply.parse, confidence: 'constrained' } };
}

/**
 * Adds the possible values of an answer with a schema: those of the answer in a JSON object or, without such an
 * answer, those of the text.
 */
function withObjectAnswer(
  read: ReadCompletion,
  { answerValue: value }: TextReading,
  { completion, situation }: { readonly completion: Completion; readonly situation: ReadingSituation },
): ReadCompletion {
  if (value === undefined) return withAnswerValues(read, completion, situation);
  const values = valuesOf(value);
  return { ...read, answerValues: completion.isConstrained ? restoredValues(values, situation) : values };
}

function readObject(completion: Completion, situation: ReadingSituation): Promise<TextReading> {
  const reader = new ObjectReplyReader(objectReaderOptions(situation));
  return reader.read(partsOf(completion.text), readingOptions(completion, situation), yieldIfBusy);
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

const emptyReading = { thought: null, answerLabelled: false, actions: [] } as const;

/** Returns the parse of a reply that needed no repair. */
const exactParse = (outcome: Parse['outcome'], dialect: Parse['dialect']): Parse => ({
  outcome,
  dialect,
  confidence: 'exact',
  repairs: [],
  discarded: [],
  problem: null,
});

/**
 * Returns a refusal: the prose that the model wrote before it as the thought, and the words of the refusal, or that
 * prose if it has no words, as the answer. Never returns the text of an action.
 */
async function asRefusal(
  { parse: { outcome }, thought, answer, reasoning }: ReadCompletion,
  { text, refusal }: Completion,
  situation: ReadingSituation,
): Promise<ReadCompletion> {
  const isUnread = outcome === 'malformed_action' || outcome === 'unknown_tool';
  const before = isUnread ? await proseBefore(text, situation) : thought;
  const prose = [before, outcome === 'answer' && answer].filter(Boolean).join('\n\n');
  const parse = exactParse('refusal', null);
  return { ...emptyReading, parse, thought: prose || null, answer: refusal || prose, reasoning };
}

/** The answer that a native model gave by calling the reserved tool. */
interface AnswerCall {
  readonly text: string;
  readonly values: readonly JsonValue[];
}

/** Returns the answer if the first call of a reply is that of the reserved tool (rule: typed-answers). */
export function readAnswerCall(
  { toolCalls: [call], finishReason }: Completion,
  { answerType }: Pick<ReadingSituation, 'answerType'>,
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

function fromAnswerCall({ text, values }: AnswerCall, prose: Prose): ReadCompletion {
  return {
    ...emptyReading,
    parse: exactParse('answer', 'native'),
    answer: text,
    ...prose,
    answerLabelled: true,
    answerValues: values,
  };
}

type Prose = Pick<ReadCompletion, 'thought' | 'reasoning'>;

/**
 * Reads the text beside native calls: without labels and without reasoning in marks such as `<think>`, as a stream
 * sends it. If the text has an action too, returns it as it is.
 */
async function readProseBeside(
  { completion, reading }: Received,
  situation: ReadingSituation,
): Promise<Prose> {
  const { text, reasoning } = completion;
  if (text.trim() === '') return { thought: null, reasoning };
  const { completion: parsed } = reading ?? (await readTextAlone(completion, situation));
  if (parsed.outcome !== 'answer') return { thought: text.trim(), reasoning };
  const thought = [parsed.thought, parsed.answer].filter(Boolean).join('\n\n');
  return { thought: thought || null, reasoning: parsed.reasoning };
}

/** Reads the text of a reply, as a stream does. */
async function readTextAlone(completion: Completion, situation: ReadingSituation): Promise<TextReading> {
  if (situation.protocol === 'json') return readObject(completion, situation);
  const options = readingOptions(completion, situation);
  return {
    completion: await parseCompletionPausing(completion.text, situation.offered, options, yieldIfBusy),
  };
}

/** Checks native calls against the same tools and schemas as written calls. */
async function readNativeCalls(
  completion: Completion,
  { thought, reasoning }: Prose,
  { offered, clientTerms }: ReadingSituation,
): Promise<ReadCompletion> {
  const { finishReason, toolCalls } = completion;
  const readings: NativeReading[] = [];
  for (const call of toolCalls) {
    await yieldIfBusy();
    // The output limit can only have cut off the last call.
    const cut = call === toolCalls.at(-1) ? { finishReason } : {};
    readings.push({ call, read: readNativeCall(call, offered, cut) });
  }
  const parse = nativeParse(readings, completion);
  const first = readings[0]?.read;
  if (first?.outcome === 'answer')
    return { parse, reasoning, answer: first.answer, ...emptyReading, thought, answerLabelled: true };
  const actions = readings.flatMap((each) => toNativeActions(each, clientTerms !== undefined));
  const mayAct = clientTerms ? actions.length > 0 : first?.outcome === 'action';
  if (!mayAct) {
    const isCut = parse.outcome === 'truncated';
    return {
      parse,
      answer: writeReply(completion, { thought }),
      reasoning,
      ...emptyReading,
      thought: isCut ? thought : null,
    };
  }
  return {
    parse,
    reasoning,
    answer: null,
    ...emptyReading,
    thought,
    actions,
  };
}

interface NativeReading {
  readonly call: NativeToolCall;
  readonly read: NativeCallReading;
}

/**
 * Summarizes the readings of all native calls. The first call determines the outcome of the reply (rule:
 * first-action-wins). If it is an action, later unreadable calls are discarded. Calls beyond the maximum number are
 * always discarded.
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

/**
 * Returns a native call as an action, in a list that is empty if the tool or the arguments are invalid. With
 * `handedOver`, a call of an unknown tool or with invalid arguments is returned too, unless it is cut off or
 * unreadable (rule: whole-calls).
 */
function toNativeActions({ call, read }: NativeReading, handedOver: boolean): ReadAction[] {
  const { id, providerState } = call;
  const raw = writeCall(call);
  if (read.outcome === 'action')
    return [{ name: read.toolName, parameters: read.toolArgs, raw, id, providerState }];
  const isUnfit = read.outcome === 'unknown_tool' || read.outcome === 'malformed_action';
  const parameters = handedOver && isUnfit ? wholeArguments(call) : undefined;
  return parameters ? [{ name: call.name, parameters, raw, id, providerState }] : [];
}

function toActions(parsed: ParsedCompletion): ReadAction[] {
  if (parsed.outcome !== 'action') return [];
  const actions = [parsed.action, ...(parsed.additionalActions ?? [])];
  return actions.map(({ toolName, toolArgs, raw }) => ({ name: toolName, parameters: toolArgs, raw }));
}

/** Returns the prose of a reply, without reasoning, and its native calls written as text. */
function writeReply({ toolCalls }: Completion, { thought }: Pick<Prose, 'thought'>): string {
  return [thought, ...toolCalls.map(writeCall)].filter(Boolean).join('\n');
}

/** Returns the canonical form of a native call. */
function writeCall({ name, arguments: written }: NativeToolCall): string {
  return `${name}(${written.trim() || '{}'})`;
}
