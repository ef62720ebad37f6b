import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import type { ParseDelta } from '../../../parsing/delta-writer.js';
import { IncrementalParser } from '../../../parsing/incremental-parser.js';
import {
  type ParsedCompletion,
  type ParseOptions,
  parseCompletionPausing,
} from '../../../parsing/parse-completion.js';
import {
  ObjectReplyReader,
  type ReaderOptions,
} from '../../../parsing/structured/reading/object-reply-reader.js';
import type { Completion } from '../provider.js';
import {
  expectsPlainText,
  prosePhaseOf,
  type Received,
  type ReplySituation,
  type TextReading,
} from '../types.js';
import { takeAsAnswer } from './plain.js';
import { emptyReply, type ReadAction, type Reply } from './reply.js';
import { fits, restored, roundedValuesIn, valuesIn, valuesOf } from './typed-answer.js';

/** Reads the text of a reply, in the form that the prompt asks for. */
export async function readText({ completion, reading }: Received, situation: ReplySituation): Promise<Reply> {
  if (expectsPlainText(situation)) return readPlain(completion, situation);
  if (situation.protocol === 'json') return readObjectReply({ completion, reading }, situation);
  const { completion: parsed } = reading ?? (await parseText(completion, situation));
  const reply = fromParsed(parsed, completion);
  const isCut = parsed.outcome === 'truncated';
  const thought = isCut ? await proseBefore(completion.text, situation) : parsed.thought;
  return withAnswerValues({ ...reply, thought }, situation);
}

/** The text beside native calls. */
export interface ProseBeside extends Pick<Reply, 'thought' | 'reasoning'> {
  readonly discarded: Reply['parse']['discarded'];
}

/**
 * Reads the text beside native calls: without labels and without reasoning in marks such as `<think>`, as a stream
 * sends it. An action in the text is discarded, because the native calls are the ones that count.
 */
export async function readProseBeside(
  { completion, reading }: Received,
  situation: ReplySituation,
): Promise<ProseBeside> {
  const { text, reasoning } = completion;
  if (text.trim() === '') return { thought: null, reasoning, discarded: [] };
  const { completion: parsed } = reading ?? (await parseText(completion, situation));
  // The outcome of a text that is only reasoning is `empty`.
  const isProse = parsed.outcome === 'answer' || parsed.outcome === 'empty';
  const thought = isProse
    ? [parsed.thought, parsed.answer].filter(Boolean).join('\n\n')
    : (await proseBefore(text, situation))?.trim();
  const chars = text.trim().length - (thought?.length ?? 0);
  const discarded = isProse ? [] : [{ kind: 'action', chars }];
  return { thought: thought || null, reasoning: parsed.reasoning, discarded };
}

/** Returns the prose before an action that was cut off. A stream has already sent this prose as the thought. */
export async function proseBefore(text: string, { offered }: ReplySituation): Promise<string | null> {
  const parser = new IncrementalParser(offered);
  const deltas: ParseDelta[] = [];
  for (const part of partsOf(text)) {
    await yieldIfBusy();
    deltas.push(...parser.push(part));
  }
  const prose = deltas.filter(({ type }) => type !== 'reasoning');
  return prose.map(({ delta }) => delta).join('') || null;
}

/** Parses the text of a reply that may contain an action. */
async function parseText(completion: Completion, situation: ReplySituation): Promise<TextReading> {
  const { text } = completion;
  const options = readingOptions(completion, situation);
  if (situation.protocol !== 'json')
    return { completion: await parseCompletionPausing(text, situation.offered, options, yieldIfBusy) };
  const reader = new ObjectReplyReader(objectReaderOptions(situation));
  return reader.read(partsOf(text), options, yieldIfBusy);
}

/** Returns the options for reading a reply's text. A refusal cuts the text off as the output limit does. */
export function readingOptions(
  completion: Completion,
  { protocol }: Pick<ReplySituation, 'protocol'>,
): ParseOptions {
  return {
    finishReason: isRefusal(completion) ? 'length' : completion.finishReason,
    reasoning: completion.reasoning,
    labelsExpected: protocol !== 'native',
  };
}

export function isRefusal({ refusal, finishReason }: Completion): boolean {
  return refusal !== null || finishReason === 'refusal';
}

export function objectReaderOptions(situation: ReplySituation): ReaderOptions {
  const { offered, replyFormat, answerType, request } = situation;
  return {
    tools: offered,
    hasJsonAnswer: answerType !== undefined,
    restoreArguments: replyFormat?.restoreArguments ?? ((_, value) => value),
    answerKey: replyFormat?.answerKey,
    phase: prosePhaseOf(request),
  };
}

/**
 * Splits a long text into parts of at most 32,768 characters. Between parts, the service can handle other requests or
 * abort.
 */
export const partsOf = (text: string): readonly string[] => text.match(/[\s\S]{1,32768}/gu) ?? [];

/**
 * Reads the whole text as the answer. If the step has `answer_schema` and the whole text does not fit it, tries the
 * text without labels, thought and reasoning in tags (rule: compatible-answer-formats).
 */
async function readPlain(completion: Completion, situation: ReplySituation): Promise<Reply> {
  const { text } = completion;
  const plain = withAnswerValues(fromParsed(takeAsAnswer(text, completion), completion), situation);
  const { answerType } = situation;
  if (!answerType || fits(plain.answerValues ?? [], answerType.schema)) return plain;
  const options = readingOptions(completion, situation);
  const parsed = await parseCompletionPausing(text, [], options, yieldIfBusy);
  const read = withAnswerValues(fromParsed(parsed, completion), situation);
  return fits(read.answerValues ?? [], answerType.schema) ? read : plain;
}

/**
 * Reads a reply in one JSON object. If the provider enforced the schema, the parsed reply is trusted to conform
 * to it.
 */
async function readObjectReply({ completion, reading }: Received, situation: ReplySituation): Promise<Reply> {
  const { isConstrained } = completion;
  // If the provider did not enforce the schema, the text must be parsed again, because the streamed parsing assumed
  // that the schema was enforced.
  const enforced = isConstrained ? situation : { ...situation, replyFormat: undefined };
  const isUsable = isConstrained || !situation.replyFormat?.schema;
  const read = (isUsable && reading) || (await parseText(completion, enforced));
  const { completion: parsed, isWhole, answerValue } = read;
  const reply = withObjectAnswer(fromParsed(parsed, completion), answerValue, situation);
  const isComplete = parsed.action !== null || (parsed.outcome === 'answer' && parsed.problem === null);
  if (!isConstrained || !isWhole || !isComplete) return reply;
  return { ...reply, parse: { ...reply.parse, confidence: 'constrained' } };
}

/**
 * Adds the possible values of an answer with a schema: those of the answer in a JSON object or, without such an
 * answer, those of the text.
 */
function withObjectAnswer(reply: Reply, value: TextReading['answerValue'], situation: ReplySituation): Reply {
  if (value === undefined) return withAnswerValues(reply, situation);
  const values = valuesOf(value);
  const { isConstrained } = reply.completion;
  return {
    ...reply,
    answerValues: isConstrained ? [...restored(values, situation.replyFormat), ...values] : values,
  };
}

/**
 * Adds the JSON values that an answer may have, based on its text. If the whole reply fits the schema, it is always
 * the answer, unless it is an action (rule: typed-answers).
 */
function withAnswerValues(reply: Reply, situation: ReplySituation): Reply {
  const { answerType, request, replyFormat } = situation;
  if (!answerType) return reply;
  const { completion, parse } = reply;
  const isTaughtAlone = situation.protocol === 'native' || expectsPlainText(situation);
  const isEnforced = completion.isConstrained && Boolean(replyFormat?.schema) && isTaughtAlone;
  const valuesOfText = (text: string) => {
    const values = valuesIn(text);
    return [
      ...(isEnforced ? restored(values, replyFormat) : []),
      ...values,
      // A client of a compatible endpoint gets the text as written, so its numbers may be rounded for the check.
      ...(situation.clientTerms ? roundedValuesIn(text) : []),
    ];
  };
  const own = parse.outcome === 'answer' ? valuesOfText(reply.answer ?? '') : [];
  if (request.phase) return { ...reply, answerValues: own };
  if (fits(own, answerType.schema)) return asAnswer({ ...reply, answerValues: own }, isEnforced);
  const whole = valuesOfText(completion.text);
  const isAnswer = (parse.outcome !== 'action' || isEnforced) && fits(whole, answerType.schema);
  if (!isAnswer) return { ...reply, answerValues: own };
  const answer = completion.text.trim();
  return asAnswer({ ...reply, ...emptyReply, answer, answerValues: whole }, isEnforced);
}

/** Turns a reply into an answer, and removes the problem that parsing had found. */
function asAnswer(reply: Reply, isEnforced: boolean): Reply {
  const { parse } = reply;
  const confidence = isEnforced && parse.repairs.length === 0 ? 'constrained' : parse.confidence;
  return { ...reply, parse: { ...parse, outcome: 'answer', dialect: null, problem: null, confidence } };
}

function fromParsed(parsed: ParsedCompletion, completion: Completion): Reply {
  const { outcome, dialect, confidence, repairs, discarded, problem } = parsed;
  return {
    completion,
    parse: { outcome, dialect, confidence, repairs: [...repairs], discarded: [...discarded], problem },
    thought: parsed.thought,
    answerLabelled: parsed.answerLabelled,
    answer: parsed.answer,
    actions: toActions(parsed),
    reasoning: parsed.reasoning,
  };
}

function toActions(parsed: ParsedCompletion): ReadAction[] {
  if (parsed.outcome !== 'action') return [];
  const actions = [parsed.action, ...(parsed.additionalActions ?? [])];
  return actions.map(({ toolName, toolArgs, raw }) => ({ name: toolName, parameters: toolArgs, raw }));
}
