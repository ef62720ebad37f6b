import { blankStep } from '../../contract/blank-step.js';
import type { ActionDetails, Parse, Signals, Step, Warning } from '../../contract/step.js';
import { stepError } from '../../contract/step-error.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { Conclusion, ProposedAction } from './conclude.js';
import { countSignals } from './history/signals.js';
import type { PreparedPrompt } from './prepare-prompt.js';
import type { Completion } from './provider.js';
import type { Reply } from './read-reply.js';

/** A step's answer; HTTP adds the request id and the caller's own history in front of `new_turns`. */
export type StepResult = Omit<Step, 'request_id' | 'updated_conversation_history'>;

interface Outcome {
  readonly request: StepRequest;
  readonly prepared: PreparedPrompt;
  readonly completion: Completion;
  readonly reply: Reply;
  readonly conclusion: Conclusion;
  readonly provider: string;
}

/** The fields of SPEC §3, all of them always there. */
export function toResult({
  request,
  prepared,
  completion,
  reply,
  conclusion,
  provider,
}: Outcome): StepResult {
  const { situation } = prepared;
  const [action, ...others] = conclusion.actions.map((each) => actionDetails(each, request));
  const newTurns = conclusion.status === 'error' ? [] : [situation.newTurn ?? [], conclusion.turns].flat();
  return {
    session_id: request.session_id,
    status: conclusion.status,
    iterations_remaining: remaining(request),
    thought: conclusion.thought,
    direct_response: conclusion.directResponse,
    action_details: action ?? null,
    additional_actions: others,
    new_turns: newTurns,
    correction: conclusion.correction,
    control: conclusion.control,
    phase: request.phase ?? null,
    parse: parseOf(reply, conclusion),
    context_report: prepared.report,
    signals: signalsOf(prepared, conclusion),
    usage: completion.usage,
    model: completion.model,
    provider,
    finish_reason: completion.finishReason,
    finish_reason_raw: completion.finishReasonRaw,
    reasoning: reply.reasoning,
    completion_text: request.include?.completion_text ? completion.text : null,
    warnings: [...prepared.warnings, ...completion.warnings, ...cutWarning(completion, conclusion)],
    error: conclusion.error && { ...conclusion.error, provider },
  };
}

/** `max_iterations_left` is 0: no model call was made (SPEC §3). */
export function exhausted(request: StepRequest): StepResult {
  return {
    session_id: request.session_id,
    status: 'error',
    iterations_remaining: 0,
    ...blankStep,
    phase: request.phase ?? null,
    error: stepError('iterations_exhausted'),
  };
}

/** Only `observe` spends an iteration in three-phase mode. */
function remaining({ max_iterations_left: left, phase }: StepRequest): number {
  return phase === 'reason' || phase === 'act' ? left : left - 1;
}

function actionDetails(
  { name, parameters, raw, id }: ProposedAction,
  { tools = [] }: StepRequest,
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

function parseOf({ parse }: Reply, { outcome }: Conclusion): Parse {
  return { ...parse, outcome };
}

function signalsOf({ situation, shouldCompact }: PreparedPrompt, { actions }: Conclusion): Signals {
  const proposed = actions.map(({ name, parameters }) => ({ name, parameters }));
  return {
    ...countSignals([...situation.calls, ...proposed], situation.tools),
    last_iteration: situation.isLast,
    should_compact: shouldCompact,
  };
}

function cutWarning({ finishReason }: Completion, { status }: Conclusion): Warning[] {
  if (finishReason !== 'length' || status === 'action_proposed' || status === 'error') return [];
  return [
    {
      code: 'answer_truncated',
      message: 'The output limit cut the answer off; raise maxOutputTokens or the reserve.',
    },
  ];
}
