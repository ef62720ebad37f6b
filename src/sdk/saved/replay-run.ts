import type { Compaction } from '../../contract/compaction.js';
import type { TurnInput } from '../../contract/history.js';
import type { Step, StepError } from '../../contract/step.js';
import type { Approve } from '../actions/approval.js';
import { NOBODY_TO_ASK, reasonOfDenial } from '../actions/clear-actions.js';
import { clientToolNames, InputNeeded } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import { TerminalToolError, ToolError } from '../actions/tool-errors.js';
import type { StepEvent, StepService } from '../client/step-service.js';
import { StepwiseError } from '../client/stepwise-error.js';
import { Run } from '../run/run.js';
import type { Trajectory } from './trajectory.js';

/** Plays a saved run again: the same events and the same end, without model, tools, or a person. */
export function replayRun(saved: Trajectory): Run {
  const observations = new Map(saved.observations.map((turn) => [turn.toolCallId ?? '', turn]));
  const own: readonly string[] = clientToolNames;
  const tools = saved.tools.filter(({ name }) => !own.includes(name));
  const end = new AbortController();
  return new Run(new SavedService(saved, end), saved.task, {
    ...saved.options,
    history: saved.began_with,
    signal: end.signal,
    tools: tools.map(
      (definition): Tool => ({
        ...definition,
        description: definition.description ?? '',
        execute: (_, { callId }) => repeat(saved, observations.get(callId)),
      }),
    ),
    approve: wasAlone(saved) ? undefined : approveAsSaved(observations),
    onInputRequest: async (request) => {
      const answer = observations.get(request.call_id);
      if (!answer) throw new InputNeeded(request);
      if (answer.toolResult?.success === false) throw new ToolError(answer.content);
      return answer.content;
    },
  });
}

/** Says what the service said, in the same order, and then fails or stops as it did then. */
class SavedService implements StepService {
  readonly #responses: Iterator<Step>;
  readonly #error: StepError | null;
  readonly #end: AbortController;

  constructor({ responses, result }: Trajectory, end: AbortController) {
    this.#responses = responses.values();
    this.#error = result?.error ?? null;
    this.#end = end;
  }

  async step(): Promise<Step> {
    const next = this.#responses.next();
    if (!next.done) return next.value;
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

  /** What was compacted then need not be now: the responses are there already. */
  async compact(): Promise<Compaction> {
    const nothing = { tokens_before: 0, tokens_after: 0, usage: null, warnings: [], request_id: 'replay' };
    return { ...nothing, changed: false, conversation_history: [] };
  }
}

function repeat({ result }: Trajectory, observation: TurnInput | undefined): string {
  if (!observation) throw new ToolError('The saved run has no observation for this call.');
  const { content, toolResult } = observation;
  if (toolResult?.terminal) throw new TerminalToolError(terminalReason(result), content);
  if (toolResult?.success === false) throw new ToolError(content);
  return content;
}

const terminalReason = (result: Trajectory['result']) =>
  result?.termination_reason === 'SECURITY_VIOLATION' ? 'SECURITY_VIOLATION' : 'SYSTEM_ERROR';

/** True if the run had nobody to ask. */
const wasAlone = ({ observations }: Trajectory): boolean =>
  observations.some(({ content, toolResult }) => toolResult?.denied && content === NOBODY_TO_ASK);

const approveAsSaved =
  (observations: ReadonlyMap<string, TurnInput>): Approve =>
  async ({ action }) => {
    const observation = observations.get(action.id);
    return observation?.toolResult?.denied
      ? { type: 'deny', reason: reasonOfDenial(observation.content) }
      : { type: 'allow' };
  };
