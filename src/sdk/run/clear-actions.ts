import type { ActionDetails } from '../../contract/step.js';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  findDecisionProblem,
  isAllowed,
  proposeRules,
} from '../actions/approval.js';
import type { Tool } from '../actions/define-tool.js';
import { failureOf, type ToolOutcome } from '../actions/execute-tool.js';
import { findArgumentProblem } from '../actions/find-argument-problem.js';
import { type PendingApproval, toPending } from '../actions/pending-approval.js';
import { untilAborted } from '../base/until-aborted.js';
import { callOption } from './call-option.js';
import type { GuardVerdict } from './run-options.js';
import type { RunState } from './run-state.js';

/** An action that passed guards and approval, or that a guard or a person refused. */
export type ClearedAction = ProposedAction | SettledAction;

interface ProposedAction {
  readonly action: ActionDetails;
  readonly tool: Tool;
  /** Ids of the calls of this step that run before this one; a preview must take their changes into account. */
  readonly earlierCallIds: readonly string[];
  /** True if a person has edited the arguments; `action` has the edited ones. */
  readonly edited?: boolean;
}

/** An action that will not run, with its outcome. */
interface SettledAction {
  readonly action: ActionDetails;
  readonly outcome: ToolOutcome;
}

/** The calls of a step that a person must decide about before any call of the step can run. */
export interface WaitingStep {
  readonly pending: readonly PendingApproval[];
}

/**
 * The approval questions of a step so far. Once the decision about one call is left open, no other question is
 * asked, because no call of the step can run now.
 */
interface Questions {
  readonly asked: PendingApproval[];
  waits: boolean;
}

/**
 * Checks all actions of a step and asks for approval before any of them runs (rule: approval). Resolves to `stop` if the
 * person ended the run, and to the pending calls if a decision is left open (rule: waiting-approvals).
 */
export async function clearActions(
  run: RunState,
  actions: readonly ActionDetails[],
): Promise<readonly ClearedAction[] | WaitingStep | 'stop'> {
  const cleared: ClearedAction[] = [];
  const questions: Questions = { asked: [], waits: false };
  const earlierCallIds: string[] = [];
  for (const action of actions) {
    const verdict = await clearAction(run, { action, earlierCallIds: [...earlierCallIds] }, questions);
    if (verdict === 'stop') return 'stop';
    if (verdict === 'wait' || 'tool' in verdict) earlierCallIds.push(action.id);
    if (verdict === 'wait') questions.waits = true;
    else cleared.push(verdict);
  }
  return questions.waits ? { pending: questions.asked } : cleared;
}

async function clearAction(
  run: RunState,
  { action, earlierCallIds }: Pick<ProposedAction, 'action' | 'earlierCallIds'>,
  questions: Questions,
): Promise<ClearedAction | 'stop' | 'wait'> {
  const tool = run.tools.get(action.tool_name);
  if (!tool) return clearWithoutTool(run, action);
  const inspected = await inspect(run, { action, tool, earlierCallIds });
  if ('outcome' in inspected) return inspected;
  return inspected.needsApproval ? askApproval(run, inspected, questions) : inspected;
}

/**
 * Fails a call whose tool is missing. If the decision in a resumed run is to refuse the call, follows the decision
 * instead.
 */
function clearWithoutTool({ continued }: RunState, action: ActionDetails): SettledAction | 'stop' {
  const decision = continued?.decisions.get(action.id);
  if (decision?.type === 'stop') return 'stop';
  if (decision?.type === 'deny') return deny(action, denialText(decision.reason));
  return settle(action, `There is no tool "${action.tool_name}".`);
}

interface InspectedAction extends ProposedAction {
  readonly needsApproval: boolean;
  readonly preview: string | null;
}

async function inspect(run: RunState, proposed: ProposedAction): Promise<InspectedAction | SettledAction> {
  const { action, tool } = proposed;
  const problem = findArgumentProblem(action.tool_args, tool.inputSchema);
  if (problem) return settle(action, problem);
  const verdict = await askGuards(run, action);
  if (verdict?.type === 'refuse') return settle(action, verdict.reason);
  const mustAsk = action.requires_approval || tool.annotations?.requiresApproval || verdict !== undefined;
  if (!mustAsk || (await isAllowed({ action, tool }, run.approvalRules))) {
    return { ...proposed, needsApproval: false, preview: null };
  }
  return previewCall(run, proposed);
}

/** Asks the guards in order. Returns the first refusal, else the first `ask`, else undefined. */
async function askGuards(run: RunState, action: ActionDetails): Promise<GuardVerdict | undefined> {
  let needsPerson: GuardVerdict | undefined;
  for (const guard of run.options.guards ?? []) {
    const { stepNumber, history, tasks } = run;
    const verdict = await callOption('guards', () => guard(action, { step: stepNumber, history, tasks }));
    if (verdict?.type === 'refuse') return verdict;
    needsPerson ??= verdict;
  }
  return needsPerson;
}

/** Adds the preview. If the preview fails, the call fails without asking a person. */
async function previewCall(run: RunState, proposed: ProposedAction) {
  const { action, tool, earlierCallIds, edited = false } = proposed;
  const { signal, sessionId } = run;
  const context = { signal, sessionId, callId: action.id, earlierCallIds, edited };
  try {
    const previewed = tool.preview?.(action.tool_args, context) ?? null;
    const preview = await untilAborted(previewed, run.signal);
    return { ...proposed, needsApproval: true, preview };
  } catch (error) {
    run.signal.throwIfAborted();
    return { action, outcome: failureOf(error) };
  }
}

async function askApproval(
  run: RunState,
  inspected: InspectedAction,
  questions: Questions,
): Promise<ClearedAction | 'stop' | 'wait'> {
  const { action, tool, preview } = inspected;
  const request = { action, preview, rules: await proposeRules({ action, tool }) };
  await run.emit({ type: 'approval_requested', request });
  const call = toPending(action, preview);
  const given = givenDecision(run, call);
  questions.asked.push(typeof given === 'string' ? { ...call, waitsAgain: given } : call);
  if (questions.waits) return 'wait';
  const decision = typeof given === 'object' ? given : await decide(run, request);
  // Denies the call if `approve` of an untyped caller returned no valid decision.
  const problem = findDecisionProblem(decision, 'approve');
  if (problem) return deny(action, `${NOT_ALLOWED} ${problem}`);
  if (decision.type === 'stop' || decision.type === 'wait') return decision.type;
  return carryOut(run, inspected, decision);
}

/** Asks the person. Without `approve`, the decision waits. */
const decide = async ({ options: { approve }, signal }: RunState, request: ApprovalRequest) =>
  approve
    ? callOption('approve', () => untilAborted(approve(request, signal), signal))
    : ({ type: 'wait' } as const);

/**
 * Returns the decision about a call that was given to a resumed run; undefined if none was given. Returns a reason as
 * text if the decision is invalid, because the call is no longer the one that the person saw.
 */
function givenDecision(
  { continued }: RunState,
  call: PendingApproval,
): ApprovalDecision | string | undefined {
  const decision = continued?.decisions.get(call.id);
  const shown = continued?.pending.find(({ id }) => id === call.id);
  if (!decision || !shown) return undefined;
  if (shown.argsHash !== call.argsHash) return 'The arguments are not those that the person saw.';
  return shown.preview === call.preview ? decision : 'The preview is not the one that the person saw.';
}

async function carryOut(
  run: RunState,
  asked: ProposedAction,
  decision: Exclude<ApprovalDecision, { type: 'stop' | 'wait' }>,
): Promise<ClearedAction> {
  if (decision.type === 'deny') return deny(asked.action, denialText(decision.reason));
  if (decision.type === 'edit') return applyEdit(run, asked, decision.args);
  if (decision.type === 'always') allowFromNowOn(run, decision.rule);
  return asked;
}

/** Checks edited arguments like the model's own, but does not ask the person again. */
async function applyEdit(run: RunState, proposed: ProposedAction, tool_args: ActionDetails['tool_args']) {
  return inspect(run, { ...proposed, action: { ...proposed.action, tool_args }, edited: true });
}

function allowFromNowOn(run: RunState, rule: ApprovalRule): void {
  run.approvalRules = [...run.approvalRules, rule];
}

const settle = (action: ActionDetails, text: string): SettledAction => ({
  action,
  outcome: { success: false, text },
});

const deny = (action: ActionDetails, text: string): SettledAction => ({
  action,
  outcome: { success: false, text, denied: true },
});

/**
 * The reason of a denial if nobody can be asked. Clients use it if they run without a person, and former versions of
 * the SDK used it if `approve` was missing.
 */
export const NOBODY_TO_ASK = 'Not run: it needs approval, and no person can be asked.';

/**
 * Beginning of the observation if `approve` returned no decision, for example `false`; a description of the mistake
 * follows.
 */
const NOT_ALLOWED = 'Not run. This was not approved.';

const REFUSED = 'The user refused this call, so it was not run.';
const REASON = ' Reason: ';

/**
 * Returns the observation of a denied call, which tells the model that a person refused it, and why (rule: approval).
 * Keeps the observation of a denial without a person, as a replay passes it.
 */
function denialText(reason: string | null | undefined): string {
  if (reason === NOBODY_TO_ASK || reason?.startsWith(NOT_ALLOWED)) return reason;
  const given = reason?.trim();
  return given ? REFUSED + REASON + given : REFUSED;
}

/** Reads the reason out of a denial in a saved run. Former versions saved nothing but the reason. */
export const reasonOfDenial = (text: string): string =>
  text.startsWith(REFUSED) ? text.slice(REFUSED.length + REASON.length) : text;
