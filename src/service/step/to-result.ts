import type { ContextReport } from '../../contract/context-report.js';
import { errorCodes } from '../../contract/error-codes.js';
import type { Turn } from '../../contract/history.js';
import type { ActionDetails, Parse, Signals, Step, Usage, Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import { blankStep, stepError } from '../../conversation/blank-step.js';
import type { Conclusion, ProposedAction } from './conclude.js';
import { countSignals } from './history/signals.js';
import type { RenderedPrompt } from './render-prompt.js';
import type { Reply } from './reply/reply.js';
import type { StepDependencies } from './step-dependencies.js';
import { isLastIteration, type MustAnswer, type ReplySituation, usesIteration } from './types.js';

/** The response to a step, without the whole history and the request id, which the HTTP layer adds (`toStep`). */
export type StepResult = Omit<Step, 'updated_conversation_history' | 'request_id'>;

/** The parts of a step that are still needed once its prompt has been sent (rule: lean-waiting). */
export interface SentStep
  extends Pick<RenderedPrompt, 'situation' | 'report' | 'shouldCompact'>,
    Pick<StepDependencies, 'provider' | 'now'> {}

/** Builds the result of a step: every field of `StepResult`, null or empty where it has no value. */
export function toResult(conclusion: Conclusion, step: SentStep): StepResult {
  const { situation, report } = step;
  const { request } = situation;
  const { reply } = conclusion;
  const { completion } = reply;
  const provider = step.provider.name;
  const [action, ...others] = conclusion.actions.map((each) => actionDetails(each, situation));
  return {
    session_id: request.session_id,
    status: conclusion.status,
    iterations_remaining: remaining(request),
    // An empty thought is reported as null, in every protocol.
    thought: conclusion.thought || null,
    direct_response: conclusion.directResponse,
    answer: conclusion.answer.value,
    action_details: action ?? null,
    additional_actions: others,
    new_turns: newTurns(conclusion, situation, step.now()),
    correction: conclusion.correction,
    control: conclusion.control,
    phase: request.phase ?? null,
    parse: parseOf(conclusion),
    context_report: report,
    signals: signalsOf(conclusion, step),
    usage: completion.usage,
    model: completion.model,
    provider,
    finish_reason: completion.finishReason,
    finish_reason_raw: completion.finishReasonRaw,
    reasoning: reply.reasoning,
    completion_text: request.include?.completion_text ? completion.text : null,
    recorded_step: null,
    warnings: [
      ...situation.warnings,
      ...completion.warnings,
      ...truncationWarnings(completion.usage, report),
      ...replyWarnings(conclusion, situation),
    ],
    error: conclusion.error && { ...conclusion.error, provider },
  };
}

/**
 * Returns how the reply was parsed. An answer that does not fit its schema is never reported as constrained by it
 * (rule: typed-answers).
 */
function parseOf({ reply: { parse }, outcome, answer: { mismatch } }: Conclusion): Parse {
  if (mismatch === null) return { ...parse, outcome };
  const confidence = parse.confidence === 'constrained' ? 'exact' : parse.confidence;
  return { ...parse, outcome, confidence, problem: mismatch };
}

/** Returns the response to a step with `max_iterations_left: 0`, which makes no model call (rule: iterations). */
export function exhausted(request: StepRequest): StepResult {
  return {
    session_id: request.session_id,
    status: 'error',
    iterations_remaining: 0,
    ...blankStep,
    phase: request.phase ?? null,
    error: stepError({ code: 'iterations_exhausted', ...errorCodes.iterations_exhausted }),
  };
}

/** Returns the number of iterations left after this step (rule: iterations). */
function remaining({ max_iterations_left: left, phase }: ReplySituation['request']): number {
  return usesIteration({ phase }) ? left - 1 : left;
}

/**
 * Returns the turns that the step adds to the history, all with the same timestamp (rule: turn-timestamps).
 * `toStep` appends them to the history as sent.
 */
function newTurns({ status, turns }: Conclusion, { newTurn }: ReplySituation, now: Date): Turn[] {
  if (status === 'error') return [];
  const timestamp = now.toISOString();
  const added = newTurn ? [newTurn, ...turns] : turns;
  return added.map((turn) => ({ ...turn, timestamp }));
}

function actionDetails(
  { name, parameters, raw, id }: ProposedAction,
  { tools, found }: ReplySituation,
): ActionDetails {
  const tool = [...tools, ...found].find((each) => each.name === name);
  return {
    tool_name: name,
    tool_args: parameters,
    raw_action_string: `Action: ${raw}`,
    id,
    requires_approval: tool?.annotations?.requiresApproval ?? false,
  };
}

function signalsOf({ actions }: Conclusion, { situation, shouldCompact }: SentStep): Signals {
  return {
    ...countSignals([...situation.calls, ...actions], [...situation.tools, ...situation.found]),
    last_iteration: isLastIteration(situation.request),
    should_compact: shouldCompact,
  };
}

/**
 * Returns warnings about the reply for callers that would otherwise check only the status (rule: unreadable-action).
 */
function replyWarnings(
  { reply, status, outcome, answer }: Conclusion,
  { mustAnswer }: Pick<ReplySituation, 'mustAnswer'>,
): Warning[] {
  if (outcome === 'action_after_limit') return [actionWithheld(reply, mustAnswer)];
  const isUnreadable = outcome === 'malformed_action' || outcome === 'unknown_tool';
  if (isUnreadable) return status === 'action_proposed' ? [] : [unreadableAction];
  const isCut = reply.completion.finishReason === 'length';
  return [
    ...(isCut && status !== 'action_proposed' && status !== 'error' ? [answerTruncated] : []),
    ...(answer.mismatch === null ? [] : [answerMismatch]),
  ];
}

/**
 * Minimum number of prompt tokens for comparing the service's count with the provider's. In smaller prompts, fixed
 * costs and safety margins weigh too much.
 */
const MIN_JUDGED_TOKENS = 1_000;

/**
 * If a provider counts less than this share of the service's own count, a different tokenizer cannot explain the
 * difference.
 */
const MIN_COUNTED_SHARE = 0.5;

/**
 * Warns that the server has probably cut the prompt silently, as local servers with a small window do
 * (rule: usage).
 */
function truncationWarnings(
  { input_tokens: counted }: Usage,
  { prompt_tokens: all, items }: ContextReport,
): Warning[] {
  // Attachments are excluded, because the estimate for a PDF is far above the count of some vendors.
  const sent = items.reduce((left, { kind, tokens }) => (kind === 'attachment' ? left - tokens : left), all);
  const isFarBelow = counted !== null && counted > 0 && counted < sent * MIN_COUNTED_SHARE;
  if (sent < MIN_JUDGED_TOKENS || !isFarBelow) return [];
  return [
    {
      code: 'prompt_truncated_upstream',
      message: `The provider counted ${counted} prompt tokens where about ${sent} were sent, so it has probably cut the prompt. Raise the context length of the server (Ollama: num_ctx), or lower tokenLimit.`,
    },
  ];
}

function actionWithheld({ actions: [action] }: Reply, mustAnswer: MustAnswer | undefined): Warning {
  const reason =
    mustAnswer === 'terminal_error'
      ? 'a tool failed with `terminal: true`, so this step had to answer'
      : 'this was the last step, so the model had to answer; with on_last_iteration: "allow_action" the action would be proposed';
  return {
    code: 'action_withheld',
    message: `The action ${action?.name ?? ''} was not proposed: ${reason}.`,
  };
}

const unreadableAction: Warning = {
  code: 'unreadable_action',
  message:
    'The model wrote an action that could not be read: direct_response contains its text, and parse.problem the reason.',
};

const answerTruncated: Warning = {
  code: 'answer_truncated',
  message: 'The answer was cut off by the output limit; raise maxOutputTokens or reservedOutputTokens.',
};

const answerMismatch: Warning = {
  code: 'answer_mismatch',
  message: 'The answer does not fit answer_schema: answer is null, and parse.problem contains the reason.',
};
