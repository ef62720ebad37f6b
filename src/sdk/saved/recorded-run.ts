import type { TurnInput } from '../../contract/history.js';
import type { RecordedStep } from '../../contract/recorded-step.js';
import type { SavedOptions, Trajectory } from '../run/trajectory.js';

/**
 * Returns the steps of one session as a saved run, which can be shown, continued and evaluated. Its history is
 * that of the newest step. Steps that a client made concurrently are in the order in which they ended.
 */
export function savedRunOf(steps: readonly [RecordedStep, ...RecordedStep[]]): Trajectory {
  const [first] = steps;
  const newest = steps.at(-1) ?? first;
  const { conversation_history: beganWith, project_id, session_id } = first.request;
  const { conversation_history: sent, tools = [], tasks = [] } = newest.request;
  return {
    format: 'stepwise-run',
    version: 2,
    task: taskOf(first),
    projectId: project_id,
    sessionId: session_id,
    options: optionsOf(first),
    tools,
    beganWith,
    responses: steps.map(toResponse),
    observations: sent.slice(beganWith.length).filter(({ role }) => role === 'tool_observation'),
    history: [...sent, ...newest.response.new_turns],
    tasks,
    result: null,
    recordedSteps: steps,
  };
}

/** Returns the task that the first step was given: its query, or the newest message of the user. */
function taskOf({ request: { user_query, conversation_history } }: RecordedStep): string {
  const isTask = ({ role, kind }: TurnInput): boolean => role === 'user' && !kind;
  return user_query || (conversation_history.findLast(isTask)?.content ?? '');
}

function optionsOf({ request }: RecordedStep): SavedOptions {
  const { llm_config, phase, phase_instructions, protocol, max_iterations_left, on_last_iteration } = request;
  const { instructions, answer_schema, explicit_context_paths: paths, inline_context: inline } = request;
  const { pinned_item_ids_to_include: pinned, implicit_context: focus } = request;
  return {
    llmConfig: llm_config,
    ...(phase && { strategy: 'reason-act-observe' }),
    ...(phase_instructions && { phaseInstructions: phase_instructions }),
    ...(protocol && { protocol }),
    maxSteps: max_iterations_left,
    ...(on_last_iteration && { onLastIteration: on_last_iteration }),
    ...(instructions && { instructions }),
    ...(answer_schema && { answerSchema: answer_schema }),
    context: { paths, pinned, focus, inline, vectorResults: request.vector_search_results_to_include },
  };
}

const toResponse = ({ response, completion_text }: RecordedStep): Trajectory['responses'][number] => ({
  ...response,
  completion_text,
  recorded_step: null,
  updated_conversation_history: null,
  request_id: '',
});
