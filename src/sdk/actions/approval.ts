import type { ActionDetails } from '../../contract/step.js';
import type { ToolArguments } from './define-tool.js';

/** What a person is asked before anything of the step runs. */
export interface ApprovalRequest {
  readonly action: ActionDetails;
  /** What the call would do, where the tool can tell: a diff, a command line. */
  readonly preview: string | null;
  /** Rules that would allow this call from now on, narrowest first. */
  readonly rules: readonly ApprovalRule[];
}

/** What is allowed without asking: a tool, or commands of a tool that begin with these words. */
export interface ApprovalRule {
  readonly tool: string;
  readonly command_prefix?: string;
}

export type ApprovalDecision =
  | { readonly type: 'allow' }
  | { readonly type: 'always'; readonly rule: ApprovalRule }
  | { readonly type: 'edit'; readonly args: ToolArguments }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'stop' };

/** The signal fires when the run is stopped: nobody waits for the decision then. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;

/** True where a rule already allows the call. */
export function isAllowed({ tool_name, tool_args }: ActionDetails, rules: readonly ApprovalRule[]): boolean {
  return rules.some(
    ({ tool, command_prefix }) =>
      tool === tool_name &&
      (command_prefix === undefined || beginsWith(tool_args['command'], command_prefix)),
  );
}

/** The rules a person may choose from for this call. */
export function proposeRules({ tool_name, tool_args }: ActionDetails): ApprovalRule[] {
  const command = tool_args['command'];
  if (typeof command !== 'string') return [{ tool: tool_name }];
  if (canDoMore(command)) return [];
  const words = command.trim().split(/\s+/);
  const length = words[1] !== undefined && /^[a-z][\w:-]*$/i.test(words[1]) ? 2 : 1;
  return [{ tool: tool_name, command_prefix: words.slice(0, length).join(' ') }];
}

function beginsWith(command: unknown, prefix: string): boolean {
  if (typeof command !== 'string' || canDoMore(command)) return false;
  const words = command.trim().split(/\s+/);
  return prefix.split(/\s+/).every((word, index) => words[index] === word);
}

/** A shell reads these as more than words: `npm test; rm -rf ~` is not "a command that begins with npm test". */
const canDoMore = (command: string): boolean => /[;&|<>()`$\\\n\r{}]/.test(command);
