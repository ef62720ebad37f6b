import type { ActionDetails } from '../../contract/step.js';

/** The tool call of an event. */
export interface ToolEvent {
  /** Id of the call, unique within the run. */
  readonly id: string;
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments that the tool runs with. */
  readonly toolArgs: ActionDetails['tool_args'];
}

/** Returns a proposed call in the form of the events of a run. */
export const toToolEvent = ({ id, tool_name, tool_args }: ActionDetails): ToolEvent => ({
  id,
  toolName: tool_name,
  toolArgs: tool_args,
});
