import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails, Step } from '../../contract/step.js';
import { executeTool, notRun, type ToolOutcome } from '../actions/execute-tool.js';
import { editNote, summarize } from '../actions/render-observation.js';
import { TerminalToolError } from '../actions/tool-errors.js';
import { toToolEvent } from '../base/tool-event.js';
import { type ClearedAction, clearActions } from './clear-actions.js';
import { relayOutput } from './relay-output.js';
import { endOfException, type RunEnd, stopped } from './run-end.js';
import type { RunState } from './run-state.js';

const MAX_VIOLATIONS = 3;

/** Longer than the tool pack's own limit for commands (one minute), so that commands report their time-out themselves. */
const DEFAULT_TOOL_TIMEOUT_MS = 120_000;

/**
 * Approves and runs all actions of a step and adds their observations to the history. Each action gets an observation,
 * whatever happens, so that a later run can always continue the history.
 */
export async function performActions(run: RunState, response: Step): Promise<RunEnd | undefined> {
  const actions = [response.action_details, ...response.additional_actions].filter(
    (action) => action !== null,
  );
  const cleared = await clearOrStop(run, actions);
  if (cleared === 'stop') {
    await observe(
      run,
      actions.map((action) => ({ action, outcome: notRun })),
    );
    return stopped;
  }
  if ('pending' in cleared) return { stopReason: 'needs_approval', pending: cleared.pending };
  const outcomes = await executeAll(run, cleared);
  await observe(run, outcomes);
  return endOf(run, outcomes);
}

type ClearedTool = Extract<ClearedAction, { tool: unknown }>;

interface Performed {
  readonly action: ActionDetails;
  readonly outcome: ToolOutcome;
  readonly edited?: boolean;
}

/** Treats a run that is stopped while a person is being asked like one that the person stopped. */
async function clearOrStop(run: RunState, actions: readonly ActionDetails[]) {
  try {
    return await clearActions(run, actions);
  } catch (error) {
    if (run.signal.aborted) return 'stop';
    throw error;
  }
}

/** Runs adjacent read-only actions in parallel, all others in order, and none after an error that ends the run. */
async function executeAll(run: RunState, cleared: readonly ClearedAction[]): Promise<Performed[]> {
  const performed: Performed[] = [];
  let ended = cleared.some((each) => endsRun(each));
  for (const group of groupReads(cleared)) {
    const results = await Promise.all(group.map((each) => (ended ? skip(each) : perform(run, each))));
    performed.push(...results);
    ended ||= results.some(endsRun);
  }
  return performed;
}

function groupReads(cleared: readonly ClearedAction[]): ClearedAction[][] {
  const groups: ClearedAction[][] = [];
  let previousReads = false;
  for (const each of cleared) {
    const reads = 'tool' in each && isRead(each);
    if (reads && previousReads) groups.at(-1)?.push(each);
    else groups.push([each]);
    previousReads = reads;
  }
  return groups;
}

const isRead = ({ tool }: ClearedTool): boolean => tool.annotations?.readOnlyHint === true;

const endsRun = (each: ClearedAction | Performed): boolean =>
  'outcome' in each && (terminalOf(each) ?? inputRequestOf(each)) !== undefined;

const terminalOf = ({ outcome }: Pick<Performed, 'outcome'>) =>
  outcome.success ? undefined : outcome.terminal;

const inputRequestOf = ({ outcome }: Pick<Performed, 'outcome'>) =>
  outcome.success ? undefined : outcome.inputRequest;

const skip = (each: ClearedAction): Performed =>
  'outcome' in each ? each : { action: each.action, outcome: notRun };

async function perform(run: RunState, cleared: ClearedAction): Promise<Performed> {
  const call = toToolEvent(cleared.action);
  const { id } = call;
  const began = performance.now();
  if ('tool' in cleared) {
    if (mayHaveEffects(cleared)) run.unfinishedStep.set(id, unknownOutcome(id));
    await run.emit({ type: 'tool_start', ...call });
  }
  const outcome = judge(run, 'outcome' in cleared ? cleared.outcome : await execute(run, cleared));
  const durationMs = Math.round(performance.now() - began);
  const performed = { ...cleared, outcome };
  if (!inputRequestOf(performed)) run.unfinishedStep.set(id, toObservation(performed));
  if (outcome.success) {
    await run.emit({ type: 'tool_complete', ...call, observation: outcome.text, durationMs });
  } else {
    const { text, denied = false, terminal } = outcome;
    const failure = { error: text, denied, terminal: terminal !== undefined };
    await run.emit({ type: 'tool_error', ...call, ...failure, durationMs });
  }
  return performed;
}

/** Returns false for reads and questions: after a crash, a later run may treat them as calls that never ran. */
const mayHaveEffects = (cleared: ClearedTool): boolean =>
  !isRead(cleared) && cleared.tool.name !== 'request_input';

/**
 * Returns the observation of a running call in a saved run: a run that continues it must not assume that the
 * call never ran.
 */
const unknownOutcome = (id: string): TurnInput => ({
  role: 'tool_observation',
  content:
    'This call was started and its outcome is unknown: the program ended while it ran. Look at what it did before you make it again.',
  toolCallId: id,
  toolResult: { success: false },
});

/** Counts security violations: the model can correct two of them, the third one ends the run (rule: tool-pack). */
function judge(run: RunState, outcome: ToolOutcome): ToolOutcome {
  if (outcome.success || !outcome.violation) return outcome;
  run.violations += 1;
  if (run.violations < MAX_VIOLATIONS) return outcome;
  return { ...outcome, terminal: new TerminalToolError('SECURITY_VIOLATION', outcome.text) };
}

async function execute(run: RunState, { tool, action }: ClearedTool) {
  const call = toToolEvent(action);
  const output = relayOutput((delta) => run.emit({ type: 'tool_output', ...call, delta }));
  const outcome = await executeTool(tool, action, {
    signal: run.signal,
    sessionId: run.sessionId,
    onOutput: output.add,
    timeoutMs: tool.timeoutMs ?? run.options.toolTimeoutMs ?? DEFAULT_TOOL_TIMEOUT_MS,
  });
  await output.end();
  return outcome;
}

async function observe(run: RunState, performed: readonly Performed[]): Promise<void> {
  const observations = performed.filter((each) => !inputRequestOf(each)).map(toObservation);
  run.observe(...observations);
  for (const { action, outcome } of performed) {
    const { tool_name, tool_args } = action;
    run.recordAction({
      toolName: tool_name,
      toolArgs: tool_args,
      resultSummary: summarize(outcome.text),
      success: outcome.success,
    });
  }
  run.lastActionsDenied = performed.some(({ outcome }) => !outcome.success && outcome.denied);
  if (run.phase === 'act') run.heldObservations = observations;
  else await run.emit({ type: 'agent_observe', observations, thought: null, response: null });
}

function toObservation({ action, outcome, edited }: Performed): TurnInput {
  const note = edited ? editNote(action.tool_args) : '';
  const turn = { role: 'tool_observation' as const, content: note + outcome.text, toolCallId: action.id };
  if (outcome.success) {
    const { attachments, found } = outcome;
    return {
      ...turn,
      toolResult: { success: true },
      ...(attachments && { attachments: [...attachments] }),
      ...(found?.length && { tool_definitions: found.map((name) => ({ name })) }),
    };
  }
  const { denied, terminal } = outcome;
  return {
    ...turn,
    toolResult: { success: false, ...(denied && { denied }), ...(terminal && { terminal: true }) },
  };
}

function endOf(run: RunState, performed: readonly Performed[]): RunEnd | undefined {
  const terminal = performed.map(terminalOf).find(Boolean);
  if (terminal) return endOfException(terminal);
  const inputRequest = performed.map(inputRequestOf).find(Boolean);
  if (inputRequest) return { stopReason: 'needs_input', inputRequest };
  return run.signal.aborted ? stopped : undefined;
}
