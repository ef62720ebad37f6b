import type { Compaction } from '../../contract/compaction.js';
import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails, Step, StepError } from '../../contract/step.js';
import type { Approve } from '../actions/approval.js';
import { clientToolNames, InputNeeded } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import { notRun } from '../actions/execute-tool.js';
import { FoundTools, ToolSearch } from '../actions/find-tools.js';
import { readEditNote } from '../actions/render-observation.js';
import { TerminalToolError, ToolError } from '../actions/tool-errors.js';
import type { ForeseenStep, StepEvent, StepService } from '../base/step-service.js';
import { StepwiseError } from '../base/stepwise-error.js';
import { reasonOfDenial } from '../run/clear-actions.js';
import { Run } from '../run/run.js';
import type { RunOptions } from '../run/run-options.js';
import { savedOptions, type Trajectory } from '../run/trajectory.js';

/**
 * Replays a saved run: the same events and the same end, without model, tools or a person. `onRequest` receives the
 * requests, rebuilt from the saved run. They equal the original ones except for what a file does not record: a
 * compacted history, an initial TODO list, and the step after which no further one was recorded.
 */
export function replayRun(saved: Trajectory, { onRequest }: Pick<RunOptions, 'onRequest'> = {}): Run {
  const observations = new Map(saved.observations.map((turn) => [turn.toolCallId ?? '', turn]));
  const own: readonly string[] = clientToolNames;
  const tools = saved.tools.filter(({ name }) => !own.includes(name));
  const end = new AbortController();
  const edited = new Set<string>();
  return new Run(new SavedService(saved, end), saved.task, {
    ...savedOptions(saved.options),
    onRequest,
    projectId: saved.projectId,
    sessionId: saved.sessionId,
    history: saved.beganWith,
    attachments: saved.attachments ?? [],
    signal: end.signal,
    tools: [
      ...tools.map(
        (definition): Tool => ({
          ...definition,
          defer: definition.defer ?? false,
          description: definition.description ?? '',
          ...previewAsSaved(saved, definition.name),
          execute: (_, { callId }) => repeat(saved, observations.get(callId), edited.has(callId)),
        }),
      ),
      new ToolSearch((_, { callId }) => searchAsSaved(observations.get(callId))),
    ],
    approve: approveAsSaved(saved, observations, edited),
    onInputRequest: async (request) => {
      const answer = observations.get(request.callId);
      if (!answer) throw new InputNeeded(request);
      if (answer.toolResult?.success === false) throw new ToolError(answer.content);
      return answer.content;
    },
  });
}

/** Returns the recorded responses in order, then fails or stops like the recorded run. */
class SavedService implements StepService {
  readonly #responses: readonly Step[];
  readonly #error: StepError | null;
  /** Number of steps that began; the last one may have no response. */
  readonly #steps: number;
  readonly #end: AbortController;
  #next = 0;

  constructor({ responses, result }: Trajectory, end: AbortController) {
    this.#responses = responses;
    this.#error = result?.error ?? null;
    this.#steps = result?.steps?.length ?? 0;
    this.#end = end;
  }

  /**
   * Predicts phase and iterations of a step. The phases `reason` and `act` do not use up an iteration (rule:
   * iterations).
   */
  foresee(step: number): ForeseenStep {
    const next = this.#responses[this.#next];
    const isUnspent = next?.phase === 'reason' || next?.phase === 'act';
    return {
      hasBegun: next !== undefined || this.#error !== null || step <= this.#steps,
      iterationsLeft: next ? next.iterations_remaining + (isUnspent ? 0 : 1) : 0,
    };
  }

  async step(): Promise<Step> {
    const next = this.#responses[this.#next];
    this.#next += 1;
    if (next) return next;
    if (this.#error) throw StepwiseError.fromStepError({ ...this.#error, retryable: false });
    this.#end.abort();
    throw this.#end.signal.reason;
  }

  async *stream(): AsyncGenerator<StepEvent> {
    const step = await this.step();
    if (step.thought) yield { type: 'thought.delta', delta: step.thought };
    if (step.direct_response) yield { type: 'answer.delta', delta: step.direct_response };
    yield { type: 'step.completed', step };
  }

  /** Changes nothing: the recorded responses do not depend on the history. */
  async compact(): Promise<Compaction> {
    const noChange = { tokens_before: 0, tokens_after: 0, usage: null, warnings: [], request_id: 'replay' };
    return { ...noChange, changed: false, conversation_history: [] };
  }
}

/**
 * Returns or throws what the tool returned or threw in the recorded run. Drops the edit note, which the run
 * adds again.
 */
function repeat({ result }: Trajectory, observation: TurnInput | undefined, wasEdited: boolean): unknown {
  if (!observation) throw new ToolError('The saved run has no observation for this call.');
  const { toolResult, attachments } = observation;
  const content = (wasEdited && readEditNote(observation.content)?.text) || observation.content;
  if (toolResult?.terminal) throw new TerminalToolError(terminalReason(result), content);
  if (toolResult?.success === false) throw new ToolError(content);
  return attachments?.length ? { content, attachments } : content;
}

/** Returns the tools that a search found in the recorded run, whatever it would find now. */
function searchAsSaved(observation: TurnInput | undefined): FoundTools {
  if (!observation) throw new ToolError('The saved run has no observation for this call.');
  return new FoundTools(
    observation.content,
    (observation.tool_definitions ?? []).map(({ name }) => name),
  );
}

const terminalReason = (result: Trajectory['result']) =>
  result?.terminationReason === 'SECURITY_VIOLATION' ? 'SECURITY_VIOLATION' : 'SYSTEM_ERROR';

/** Repeats the previews of a tool's calls that wait for approval; other previews are not saved. */
function previewAsSaved({ result }: Trajectory, tool: string): Pick<Tool, 'preview'> {
  const pending = (result?.pending ?? []).filter(({ toolName }) => toolName === tool);
  const previews = new Map(pending.map(({ id, preview }) => [id, preview ?? '']));
  return pending.some(({ preview }) => preview !== null)
    ? { preview: async (_, { callId }) => previews.get(callId) ?? '' }
    : {};
}

/** Repeats the decisions of the person. Adds calls with edited arguments to `edited`. */
function approveAsSaved(
  { responses, result }: Trajectory,
  observations: ReadonlyMap<string, TurnInput>,
  edited: Set<string>,
): Approve {
  const undecided = undecidedCalls(responses.at(-1), observations);
  return async ({ action: { id } }) => {
    if (undecided.has(id)) return { type: result?.stopReason === 'needs_approval' ? 'wait' : 'stop' };
    const { content, toolResult } = observations.get(id) ?? { content: '' };
    if (toolResult?.denied) return { type: 'deny', reason: reasonOfDenial(content) };
    const edit = readEditNote(content);
    if (!edit) return { type: 'allow' };
    edited.add(id);
    return { type: 'edit', args: edit.args };
  };
}

/** Returns the calls of the last step if the run ended before a decision about all of them, so that none ran (rule: approval). */
function undecidedCalls(
  newest: Step | undefined,
  observations: ReadonlyMap<string, TurnInput>,
): ReadonlySet<string> {
  const calls = [newest?.action_details, ...(newest?.additional_actions ?? [])].flatMap((call) => call ?? []);
  const wasRun = ({ id }: ActionDetails) => (observations.get(id)?.content ?? notRun.text) !== notRun.text;
  return new Set(calls.some(wasRun) ? [] : calls.map(({ id }) => id));
}
