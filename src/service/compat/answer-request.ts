import type { Turn } from '../../contract/history.js';
import type { ActionDetails } from '../../contract/step.js';
import { parseArguments } from '../../conversation/convert/convert-openai.js';
import { noUsage, sumUsage } from '../../conversation/usage.js';
import { sameValue } from '../step/history/json-values.js';
import { Interruption } from '../step/interruption.js';
import { CHARACTERS_PER_TOKEN } from '../step/provider.js';
import type { StepInput, StepObserver, StepResult } from '../step/react-step.js';
import { typedTextOf } from './answer-format.js';
import { markedId } from './client-state.js';
import { allowedActions, correctionOf } from './correct.js';
import { SentText, type TextSink } from './sent-text.js';
import type { Answer, AnswerCall, AnswerIdentity, NeutralRequest } from './wire.js';

/** The functions and limits that `answerRequest` uses. */
export interface Answering {
  /** Makes one step. Throws as `reactStep` does. */
  step(request: StepInput, observer?: StepObserver): Promise<StepResult>;
  /** Maximum number of further steps that correct a reply. */
  readonly corrections: number;
  /** True if the answer contains a report. */
  readonly reports: boolean;
  readonly identity: AnswerIdentity;
  /** Returns a new random text of 24 letters and digits. */
  newId(): string;
  /** Receives the text of a stream; undefined for a plain answer. */
  readonly sink: TextSink | undefined;
  /** Receives the report of the first prompt before the model is called. */
  contextBuilt: StepObserver['contextBuilt'];
  /** Receives the error of a failed correction, which the client never sees. */
  correctionFailed(error: unknown): void;
}

/** An answer, the step (`result`) that produced it, and the first step of the request. */
export interface Answered {
  readonly answer: Answer;
  readonly result: StepResult;
  readonly first: StepResult;
}

/**
 * Answers a request with one step. Further steps correct a reply that cannot be used, such as an action that cannot
 * be parsed (rule: compatible-corrections).
 */
export async function answerRequest(
  request: NeutralRequest,
  input: StepInput,
  answering: Answering,
): Promise<Answered> {
  // JSON is sent only when it is complete and checked, because sent text cannot be corrected.
  const sent =
    answering.sink && new SentText(answering.sink, { holdsText: request.answerSchema !== undefined });
  const results = await makeSteps(input, answering, sent);
  const [first] = results;
  const last = results.at(-1) ?? first;
  const result = correctionOf(last, termsOf(input)) ? first : last;
  const written = request.answerSchema && !result.error ? typedTextOf(result) : untypedTextOf(result);
  const { text, reasoning } = sent ? await send(sent, { result, first }, written) : written;
  const usage = sumOf(results);
  return { answer: toAnswer(request, { result, text, reasoning, usage }, answering), result, first };
}

type Results = readonly [StepResult, ...StepResult[]];

/** Makes the first step, and further steps while the latest reply needs a correction. */
async function makeSteps(
  input: StepInput,
  { step, corrections, contextBuilt, correctionFailed }: Answering,
  sent: SentText | undefined,
): Promise<Results> {
  const observer = sent && { contextBuilt, delta: sent.delta.bind(sent), actionProposed: () => undefined };
  const first = await step(input, observer);
  const results: [StepResult, ...StepResult[]] = [first];
  let turns: readonly Turn[] = input.conversation_history;
  for (let latest = first; results.length <= corrections; ) {
    const added = correctionOf(latest, termsOf(input));
    if (!added) break;
    turns = [...turns, ...added];
    const next = await step({ ...input, conversation_history: [...turns] }).catch((error: unknown) => {
      if (error instanceof Interruption && error.reason === 'caller_left') throw error;
      correctionFailed(error);
      return undefined;
    });
    if (!next) break; // the earlier reply, which has been paid for, becomes the answer
    results.push(next);
    latest = next;
  }
  return results;
}

const termsOf = ({ terms = { toolChoice: 'auto' } }: StepInput) => terms;

/** Sends the part of the text that the client has not received yet. Returns all text and reasoning that was sent. */
function send(
  sent: SentText,
  { result, first }: { readonly result: StepResult; readonly first: StepResult },
  { text, reasoning }: { readonly text: string; readonly reasoning: string },
) {
  return result === first ? sent.finish(text, reasoning) : sent.append(text, reasoning);
}

const isAnswer = ({ status }: StepResult): boolean => status === 'direct_response_provided';

/**
 * Returns the text of a step: the thought, then the answer. For a cut-off action, it is the thought before the
 * action.
 */
function untypedTextOf({ thought, direct_response: answer, reasoning }: StepResult) {
  return { text: [thought, answer].filter(Boolean).join('\n\n'), reasoning: reasoning ?? '' };
}

interface Concluded {
  readonly result: StepResult;
  readonly text: string;
  readonly reasoning: string;
  readonly usage: Answer['usage'];
}

function toAnswer(
  request: NeutralRequest,
  { result, text, reasoning, usage }: Concluded,
  { identity, newId, reports }: Answering,
): Answer {
  const calls = toCalls(request, result, newId);
  return {
    ...identity,
    text,
    reasoning,
    refusal: refusalOf(result),
    calls,
    end: calls.length > 0 ? 'calls' : endOf(result),
    usage,
    providerState: isAnswer(result) ? repliesIn(result)[0]?.provider_state : undefined,
    report: reports ? reportOf(request, result) : undefined,
  };
}

/** Returns the words of a refusal, without the text before it, which is the thought; null if the model did not refuse. */
function refusalOf({ error, thought }: StepResult): string | null {
  if (error?.code !== 'upstream_refusal') return null;
  return error.partial_text === thought ? '' : (error.partial_text ?? '');
}

/** Returns the end of an answer without calls. */
function endOf({ error, finish_reason: reason }: StepResult): Answer['end'] {
  if (error?.code === 'upstream_refusal') return 'refusal';
  return error?.code === 'output_truncated' || reason === 'length' ? 'length' : 'stop';
}

/** Returns the assistant turns that a step added to the history. */
const repliesIn = ({ new_turns: turns }: StepResult): readonly Turn[] =>
  turns.filter(({ role }) => role === 'assistant');

/**
 * Returns the calls for the client. Keeps the ids of native calls, by which the provider identifies them. Gives the
 * other calls random ids, because a client may require ids that are unique across all its conversations.
 */
function toCalls(
  { tools, toolChoice, takesSeveralCalls }: NeutralRequest,
  result: StepResult,
  newId: () => string,
): AnswerCall[] {
  const replies = new Map(repliesIn(result).map((turn) => [turn.toolCall?.id, turn]));
  const isNative = result.parse?.dialect === 'native';
  const allowed = allowedActions(result, toolChoice);
  const actions = takesSeveralCalls ? allowed : allowed.slice(0, 1);
  return actions.map((action) => {
    const { id, tool_name, tool_args } = action;
    const providerState = replies.get(id)?.provider_state;
    const isUnchecked = isNative && result.parse?.outcome !== 'action';
    return {
      id: markedId(isNative ? id : `call_${newId()}`, providerState),
      tool: tools.find(tool_name),
      parameters: tool_args,
      argumentsText: (isUnchecked ? writtenArguments(action) : undefined) ?? JSON.stringify(tool_args),
      providerState,
    };
  });
}

/**
 * Returns the argument text of a native call as the model wrote it; undefined if it means something else than the
 * arguments, because characters that a client could not send back were replaced.
 */
function writtenArguments({
  tool_name,
  tool_args,
  raw_action_string: raw,
}: ActionDetails): string | undefined {
  const written = raw.slice(`Action: ${tool_name}(`.length, -1);
  return sameValue(parseArguments(written), tool_args) ? written : undefined;
}

function reportOf({ warnings }: NeutralRequest, result: StepResult): Answer['report'] {
  const { context_report, parse, signals } = result;
  return { context_report, parse, signals, warnings: [...warnings, ...result.warnings] };
}

/** Adds up the usage of all steps. If the provider reports no count for a step, uses the service's own. */
function sumOf(results: Results): Answer['usage'] {
  const sum = results.reduce((total, { usage }) => sumUsage(total, usage ?? noUsage), noUsage);
  return {
    ...sum,
    input_tokens: totalOf(results.map(inputTokensOf)),
    output_tokens: totalOf(results.map((result) => result.usage?.output_tokens ?? outputTokensOf(result))),
  };
}

const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const inputTokensOf = ({ usage, context_report: report }: StepResult): number =>
  usage?.input_tokens ?? report?.prompt_tokens ?? 0;

/** Estimates the tokens of a reply: its reasoning, its text and its calls. */
function outputTokensOf(result: StepResult): number {
  const { text, reasoning } = untypedTextOf(result);
  const { action_details: action, additional_actions: others, error } = result;
  const calls = [...(action ? [action] : []), ...others].map(({ raw_action_string: raw }) => raw);
  const written = [reasoning, error?.partial_text ?? text, ...calls];
  return Math.ceil(written.join('').length / CHARACTERS_PER_TOKEN);
}
