import type { ActionDetails, Parse, Signals, Warning } from '../../contract/step.js';
import { stepError } from '../../contract/step-error.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { Conclusion, ProposedAction } from './conclude.js';
import type { PreparedPrompt } from './prepare-prompt.js';
import type { Completion } from './provider.js';
import type { StepResult } from './react-step.js';
import type { Reply } from './read-reply.js';
import { countSignals } from './signals.js';

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
    thought: null,
    direct_response: null,
    action_details: null,
    additional_actions: [],
    new_turns: [],
    correction: null,
    control: null,
    phase: request.phase ?? null,
    parse: null,
    context_report: null,
    signals: null,
    usage: null,
    model: null,
    provider: null,
    finish_reason: null,
    finish_reason_raw: null,
    reasoning: null,
    completion_text: null,
    warnings: [],
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
