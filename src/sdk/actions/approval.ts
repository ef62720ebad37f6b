import type { ActionDetails } from '../../contract/step.js';
import { renderCall } from '../../conversation/call-text.js';
import { hasUnseen } from '../base/unseen.js';
import { describeEntry, entryOf } from './command-table.js';
import type { Tool, ToolArguments } from './define-tool.js';

/** What a person is asked before anything of the step runs (rule: approval). */
export interface ApprovalRequest {
  /** The call that waits for consent. */
  readonly action: ActionDetails;
  /** What the call would do, where the tool can tell: a diff, a command line. */
  readonly preview: string | null;
  /** Rules that would allow this call from now on, narrowest first; none for a call that is asked about each time. */
  readonly rules: readonly ApprovalRule[];
}

/**
 * What is allowed without asking (rule: always-rules): this very call, the folder it names included; the
 * commands of one row of a closed table, all other arguments as they were; or a tool that only reads. Plain
 * JSON, to be kept; what has another shape allows nothing.
 */
export type ApprovalRule =
  | { readonly type: 'call'; readonly tool: string; readonly args: ToolArguments }
  | {
      readonly type: 'commands';
      readonly tool: string;
      readonly entry: string;
      readonly others: ToolArguments;
    }
  | { readonly type: 'reads'; readonly tool: string };

/** What the person decided. */
export type ApprovalDecision =
  | { readonly type: 'allow' }
  /** Allowed, and what the rule covers from now on. */
  | { readonly type: 'always'; readonly rule: ApprovalRule }
  /** Runs with these arguments instead; the model is told. */
  | { readonly type: 'edit'; readonly args: ToolArguments }
  /** Does not run; the model is told that a person refused, and why. */
  | { readonly type: 'deny'; readonly reason: string }
  /** Ends the run; nothing of the step runs. */
  | { readonly type: 'stop' };

/** Asks a person. The signal fires when the run is stopped: nobody waits for the decision then. */
export type Approve = (request: ApprovalRequest, signal: AbortSignal) => Promise<ApprovalDecision>;

/** A call and the tool it is for. */
interface JudgedCall {
  readonly action: ActionDetails;
  readonly tool: Pick<Tool, 'annotations'>;
}

/** True if a rule allows the call: the rules that would be proposed for it are the only ones that can. */
export function isAllowed(call: JudgedCall, rules: readonly ApprovalRule[]): boolean {
  const allowing = proposeRules(call);
  return rules.some((rule) => allowing.some((each) => isSameRule(each, rule)));
}

/** True if both allow the same, in whatever order their fields come. */
export const isSameRule = (a: ApprovalRule, b: ApprovalRule): boolean => sortedJson(a) === sortedJson(b);

/** The rules a person may choose from for this call. */
export function proposeRules({ action, tool }: JudgedCall): ApprovalRule[] {
  const { tool_name, tool_args } = action;
  const { command, ...others } = tool_args;
  if (typeof command !== 'string') {
    return tool.annotations?.readOnlyHint === true ? [{ type: 'reads', tool: tool_name }] : [];
  }
  // A person cannot agree to invisible characters; a rule covers one line.
  if (/[\n\t]/.test(command) || hasUnseen(command) || hasUnseen(JSON.stringify(others))) return [];
  const entry = entryOf(command);
  return [
    { type: 'call', tool: tool_name, args: tool_args },
    ...(entry === undefined ? [] : [{ type: 'commands' as const, tool: tool_name, entry, others }]),
  ];
}

/** A rule in words for a person; not free of what the model wrote, so to be cleaned before it is shown on a terminal. */
export function describeRule(rule: ApprovalRule): string {
  if (rule.type === 'reads') return `${rule.tool}, which only reads`;
  if (rule.type === 'call') return `exactly ${renderCall(rule.tool, rule.args)}`;
  const others = Object.keys(rule.others).length > 0 ? `, ${JSON.stringify(rule.others)}` : '';
  return `${rule.tool}: ${describeEntry(rule.entry)}${others}`;
}

/** JSON with the keys of each object in order, so that equal values have equal texts. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
