import type { Attachment } from '../../contract/attachment.js';
import type { TurnInput } from '../../contract/history.js';
import type { RecordedStep } from '../../contract/recorded-step.js';
import type { Step } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { isWithinSavedLimit, withinSavedLimit } from '../base/attachments.js';
import type { JsonSchema } from '../base/standard-schema.js';
import { toJsonSchema } from './answer-schema.js';
import { definitionsOf } from './build-request.js';
import { contextFields, knownFields, llmFields, phaseFields } from './check-run-options.js';
import type { RunOptions } from './run-options.js';
import type { RunResult } from './run-result.js';
import type { RunState } from './run-state.js';

/**
 * A saved run: plain JSON without API keys. It can be continued, replayed without a model and tools, and its
 * completions can be read with another parser.
 */
export interface Trajectory {
  /** Distinguishes a saved run from other JSON. */
  readonly format: 'stepwise-run';
  /** Version of this format. */
  readonly version: 2;
  /** The task of the run. */
  readonly task: string;
  /** Images and PDF files of the task; absent if there are none. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** The project id that was sent with every step. */
  readonly projectId: string;
  /** The session id that was sent with every step. */
  readonly sessionId: string;
  /** The options of the run that are plain data. */
  readonly options: SavedOptions;
  /** The offered tools, without their code. */
  readonly tools: readonly ToolDefinition[];
  /** The initial history of the run. */
  readonly beganWith: readonly TurnInput[];
  /** All responses of the service, with the model's original text. */
  readonly responses: readonly Step[];
  /** All observations in full; compactions shorten them in `history` only. */
  readonly observations: readonly TurnInput[];
  /** The history at the time of saving, which another run can continue. */
  readonly history: readonly TurnInput[];
  /** The TODO list at the time of saving. */
  readonly tasks: readonly Task[];
  /** The result; null if the run had not ended. */
  readonly result: Omit<RunResult, 'summary'> | null;
  /** The complete input and output of the recorded steps: with the run option `record`, or of a service with `RECORD_DIR`. */
  readonly recordedSteps?: readonly RecordedStep[] | undefined;
}

/** The options of a run that are plain data. */
export type SavedOptions = Pick<
  RunOptions,
  | 'llmConfig'
  | 'strategy'
  | 'phaseInstructions'
  | 'protocol'
  | 'maxSteps'
  | 'onLastIteration'
  | 'extensions'
  | 'instructions'
  | 'context'
  | 'clientTools'
  | 'record'
> & {
  /** JSON Schema of the answer; the schema of a library is code, which a file cannot hold. */
  readonly answerSchema?: JsonSchema | undefined;
};

/**
 * Returns the run as a saved run. Its result is null if the run has not ended. Each of its lists keeps the newest
 * attachments (rule: saved-attachments).
 */
export function toTrajectory(run: RunState, result: RunResult | undefined): Trajectory {
  const { projectId, sessionId, task, tasks } = run;
  return {
    format: 'stepwise-run',
    version: 2,
    task,
    ...savedAttachments(run.options),
    projectId,
    sessionId,
    options: savedOptions(run.options),
    tools: definitionsOf(run),
    beganWith: withinSavedLimit(run.beganWith),
    responses: run.responses.map(toSavedResponse),
    observations: withinSavedLimit([...run.observations]),
    history: withinSavedLimit(run.resumableHistory),
    tasks,
    result: result ? toSavedResult(result) : null,
    ...(run.recordedSteps.length > 0 && { recordedSteps: [...run.recordedSteps] }),
  };
}

function savedAttachments({ attachments = [] }: RunOptions): Pick<Trajectory, 'attachments'> {
  return attachments.length > 0 && isWithinSavedLimit(attachments) ? { attachments } : {};
}

/** Drops the whole history that a response without extensions repeats: a replay needs only its new turns. */
const toSavedResponse = (response: Step): Step => ({
  ...response,
  updated_conversation_history: null,
  new_turns: [...withinSavedLimit(response.new_turns)],
});

function toSavedResult({ summary: _, ...result }: RunResult): Trajectory['result'] {
  return { ...result, history: withinSavedLimit(result.history) };
}

/**
 * Returns the options of a saved run: plain data only, no permissions. Leaves out unset options, those that this
 * version does not know, and `record` if the run could not record.
 */
export function savedOptions(options: SavedOptions | RunOptions): SavedOptions {
  const { llmConfig, strategy, phaseInstructions, protocol, maxSteps, onLastIteration } = options;
  const { extensions, instructions, context, clientTools, answerSchema, record } = options;
  return {
    llmConfig: knownFields(llmConfig, llmFields),
    ...(strategy && { strategy }),
    ...(phaseInstructions && { phaseInstructions: knownFields(phaseInstructions, phaseFields) }),
    ...(protocol && { protocol }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(onLastIteration && { onLastIteration }),
    ...(extensions !== undefined && { extensions }),
    ...(instructions !== undefined && { instructions }),
    ...(context && { context: knownFields(context, contextFields) }),
    ...(clientTools && { clientTools }),
    ...(record !== undefined && extensions !== false && { record }),
    ...(answerSchema && { answerSchema: toJsonSchema(answerSchema) }),
  };
}
