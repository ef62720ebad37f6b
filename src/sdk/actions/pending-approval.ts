import type { ActionDetails } from '../../contract/step.js';
import { sha256 } from '../base/sha256.js';
import { type ApprovalDecision, sortedJson } from './approval.js';
import type { ToolArguments } from './define-tool.js';

/** A call that waits for a person's decision after its run has ended (rule: waiting-approvals). Plain JSON. */
export interface PendingApproval {
  /** Id of the call, unique within the run. */
  readonly id: string;
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments of the call. */
  readonly toolArgs: ToolArguments;
  /** SHA-256 of the tool's name and the arguments, which the decision must repeat. */
  readonly argsHash: string;
  /** The effect of the call, such as a diff or a command line; null if the tool has no preview. */
  readonly preview: string | null;
  /** Why the call waits again although a decision about it was given; absent otherwise. */
  readonly waitsAgain?: string | undefined;
}

/** The decision about one waiting call. It applies only to this call with these arguments. Plain JSON. */
export type PendingDecision = {
  /** Id of the call. */
  readonly id: string;
  /** The `argsHash` of the pending call that the person saw. */
  readonly argsHash: string;
} & ApprovalDecision;

/** Converts a call to the form in which it waits for a decision. */
export const toPending = (
  { id, tool_name, tool_args }: ActionDetails,
  preview: string | null,
): PendingApproval => ({
  id,
  toolName: tool_name,
  toolArgs: tool_args,
  argsHash: sha256(sortedJson([tool_name, tool_args])),
  preview,
});
