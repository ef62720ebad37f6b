import type { Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { ToolSearch } from '../actions/find-tools.js';
import { withinBodyLimit } from '../base/attachments.js';
import type { RunState } from './run-state.js';

interface Call {
  readonly phase: Step['phase'];
  readonly lastCall: boolean;
}

/**
 * Builds the request of the next step. With `lastCall`, the model must answer in this step, however many
 * iterations are left. Attachments that do not fit into the request are also removed from the run's history.
 */
export function buildRequest(run: RunState, call: Call): StepRequestInput {
  const request = wholeRequest(run, call);
  run.history = withinBodyLimit(request);
  return { ...request, conversation_history: [...run.history] };
}

function wholeRequest(run: RunState, { phase, lastCall }: Call): StepRequestInput {
  const { options } = run;
  return {
    project_id: run.projectId,
    session_id: run.sessionId,
    user_query: run.taskIsNew ? run.task : '',
    ...run.taskAttachments,
    conversation_history: [...run.history],
    llm_config: run.llmConfig,
    max_iterations_left: lastCall ? 1 : run.iterationsLeft,
    tools: definitionsOf(run),
    tasks: [...run.tasks],
    include: { ...includedFields(options), ...(run.mayRecord && { record: true }) },
    ...contextFields(options.context),
    ...(phase && { phase }),
    ...(options.phaseInstructions && { phase_instructions: options.phaseInstructions }),
    ...(options.instructions !== undefined && { instructions: options.instructions }),
    ...(run.answerCheck && { answer_schema: run.answerCheck.jsonSchema }),
    ...(options.protocol && { protocol: options.protocol }),
    // The last call must answer, even if the caller allows a tool call in the last step.
    ...(options.onLastIteration && !lastCall && { on_last_iteration: options.onLastIteration }),
  };
}

/**
 * Requests the whole history only if extensions are off, because such a response has no other field for the new
 * turns.
 */
const includedFields = ({ extensions, report }: RunState['options']): StepRequestInput['include'] =>
  extensions === false
    ? { history: true, extensions }
    : { history: false, report: report ?? 'summary', completion_text: true };

function contextFields(context: RunState['options']['context'] = {}): Partial<StepRequestInput> {
  const { paths, pinned, focus, vectorResults, inline } = context;
  return {
    ...(paths && { explicit_context_paths: [...paths] }),
    ...(pinned && { pinned_item_ids_to_include: [...pinned] }),
    ...(focus && { implicit_context: focus }),
    ...(vectorResults && { vector_search_results_to_include: vectorResults }),
    ...(inline && { inline_context: inline }),
  };
}

/** Returns the part of the run's tools that is sent to the service: everything except their code. */
export const definitionsOf = ({ tools, deferred }: RunState): ToolDefinition[] =>
  [...tools.values()]
    .filter((tool) => !(tool instanceof ToolSearch))
    .map(({ name, description, inputSchema, annotations }) => ({
      name,
      description,
      inputSchema,
      annotations,
      ...(deferred.has(name) && { defer: true }),
    }));
