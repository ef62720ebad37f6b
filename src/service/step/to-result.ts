import { errorCodes } from '../../contract/error-codes.js';
import type { Turn } from '../../contract/history.js';
import type { Preview } from '../../contract/preview.js';
import type { ActionDetails, Signals, Step, Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import { blankStep, stepError } from '../../conversation/blank-step.js';
import { hashPrompt, type PromptReport } from './budget/report-context.js';
import type { Conclusion, ProposedAction } from './conclude.js';
import { countSignals } from './history/signals.js';
import type { Message } from './provider.js';
import type { ReplySituation } from './read-situation.js';
import type { RenderedPrompt } from './render-prompt.js';
import type { StepDependencies } from './step-dependencies.js';

/**
 * A step's answer. What HTTP knows is blank: the request id, and the caller's own history in front of `new_turns`. To add
 * them afterwards would be to copy an answer field by field.
 */
export type StepResult = Omit<Step, keyof BlankForHttp> & BlankForHttp;

interface BlankForHttp {
  readonly updated_conversation_history: null;
  readonly request_id: '';
}

/** What a step would send, but for the request id. */
export type PreviewResult = Omit<Preview, 'request_id'>;

/** A step whose prompt is on its way: what is still needed of it, and none of its text. */
export interface SentStep
  extends Pick<RenderedPrompt, 'situation'>,
    Pick<StepDependencies, 'provider' | 'now' | 'during'> {}

export function toSentStep(
  { situation }: RenderedPrompt,
  { provider, now, during }: StepDependencies,
): SentStep {
  return { situation, provider, now, during };
}

/** All fields of a step's answer, each of them always there. */
export function toResult(conclusion: Conclusion, step: SentStep, reported: PromptReport): StepResult {
  const { reply } = conclusion;
  const { completion } = reply;
  const { situation } = step;
  const { request } = situation;
  const provider = step.provider.name;
  const [action, ...others] = conclusion.actions.map((each) => actionDetails(each, situation));
  return {
    session_id: request.session_id,
    status: conclusion.status,
    iterations_remaining: remaining(request),
    thought: conclusion.thought,
    direct_response: conclusion.directResponse,
    action_details: action ?? null,
    additional_actions: others,
    new_turns: newTurns(conclusion, situation, step.now()),
    correction: conclusion.correction,
    control: conclusion.control,
    phase: request.phase ?? null,
    parse: { ...reply.parse, outcome: conclusion.outcome },
    context_report: reported.report,
    signals: signalsOf(conclusion, situation, reported),
    usage: completion.usage,
    model: completion.model,
    provider,
    finish_reason: completion.finishReason,
    finish_reason_raw: completion.finishReasonRaw,
    reasoning: reply.reasoning,
    completion_text: request.include?.completion_text ? completion.text : null,
    warnings: [...situation.warnings, ...completion.warnings, ...replyWarnings(conclusion)],
    error: conclusion.error && { ...conclusion.error, provider },
    updated_conversation_history: null,
    request_id: '',
  };
}

/** The prompt as the model reads it; native calls as JSON. */
export async function toPreview(
  { situation, prompt }: RenderedPrompt,
  { report }: PromptReport,
): Promise<PreviewResult> {
  return {
    system: prompt.system,
    messages: prompt.messages.map((message) => ({ role: message.role, content: contentOf(message) })),
    native_tools: situation.protocol === 'native' ? [...situation.tools] : [],
    prompt_sha256: await hashPrompt(prompt.system, prompt.messages),
    context_report: report,
    warnings: [...situation.warnings],
  };
}

function contentOf({ parts }: Message): string {
  return parts.map((part) => ('text' in part ? part.text : `${JSON.stringify(part)}\n`)).join('');
}

/** `max_iterations_left` is 0: no model call was made (rule: iterations). */
export function exhausted(request: StepRequest): StepResult {
  return {
    session_id: request.session_id,
    status: 'error',
    iterations_remaining: 0,
    ...blankStep,
    phase: request.phase ?? null,
    error: stepError({ code: 'iterations_exhausted', ...errorCodes.iterations_exhausted }),
    updated_conversation_history: null,
    request_id: '',
  };
}

/** Only `observe` spends an iteration in three-phase mode (rule: iterations). */
function remaining({ max_iterations_left: left, phase }: ReplySituation['request']): number {
  return phase === 'reason' || phase === 'act' ? left : left - 1;
}

/** What the step adds, stamped with one time (rule: turn-timestamps). */
function newTurns({ status, turns }: Conclusion, { newTurn }: ReplySituation, now: Date): Turn[] {
  if (status === 'error') return [];
  const timestamp = now.toISOString();
  const added = newTurn ? [newTurn, ...turns] : turns;
  return added.map((turn) => Object.assign({}, turn, { timestamp }));
}

function actionDetails(
  { name, parameters, raw, id }: ProposedAction,
  { tools }: ReplySituation,
): ActionDetails {
  const tool = tools.find((each) => each.name === name);
  return {
    tool_name: name,
    tool_args: parameters,
    raw_action_string: `Action: ${raw}`,
    id,
    requires_approval: tool?.annotations?.requiresApproval ?? false,
  };
}

function signalsOf(
  { actions }: Conclusion,
  situation: ReplySituation,
  { shouldCompact }: PromptReport,
): Signals {
  const proposed = actions.map(({ name, parameters }) => ({ name, parameters }));
  const counts = countSignals([...situation.calls, ...proposed], situation.tools);
  return {
    repeated_action: counts.repeated_action,
    repeated_cycle: counts.repeated_cycle,
    consecutive_read_only: counts.consecutive_read_only,
    consecutive_errors: counts.consecutive_errors,
    last_iteration: situation.isLast,
    should_compact: shouldCompact,
  };
}

/** What a caller who looks at the status alone would miss (rule: unreadable-action). */
function replyWarnings({ reply, status, outcome }: Conclusion): Warning[] {
  if (outcome === 'malformed_action' || outcome === 'unknown_tool') return [unreadableAction];
  const isCut = reply.completion.finishReason === 'length';
  return isCut && status !== 'action_proposed' && status !== 'error' ? [answerTruncated] : [];
}

const unreadableAction: Warning = {
  code: 'unreadable_action',
  message:
    'The model wrote an action that could not be read: direct_response holds its text, parse.problem says why.',
};

const answerTruncated: Warning = {
  code: 'answer_truncated',
  message: 'The output limit cut the answer off; raise maxOutputTokens or the reserve.',
};
