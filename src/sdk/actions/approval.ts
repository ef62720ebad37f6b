import type { ActionDetails } from '../../contract/step.js';
import { renderCall } from '../../conversation/call-text.js';
import { isObject } from '../../conversation/is-object.js';
import { anObject, type Expectation, findValueProblem } from '../base/expect-value.js';
import { isText, oneOf, optional } from '../base/shape.js';
import { hasUnseen } from '../base/unseen.js';
import { describeEntry, findEntry } from './command-table.js';
import type { ShellCall, Tool, ToolArguments } from './define-tool.js';

/** A question to a person about one call. A step asks all of its questions before it runs anything (rule: approval). */
export interface ApprovalRequest {
  /** The call that needs approval. */
  readonly action: ActionDetails;
  /** The effect of the call, such as a diff or a command line; null if the tool has no preview. */
  readonly preview: string | null;
  /** Rules that would allow this call from now on, narrowest first; empty if it must be approved each time. */
  readonly rules: readonly ApprovalRule[];
}

/**
 * A rule that allows calls without asking (rule: always-rules). `call` allows exactly this call with these arguments.
 * `commands` allows the commands of one entry of a fixed table, with all other arguments unchanged. `reads` allows
 * every call of a read-only tool. Plain JSON that a caller may store. A value of another shape allows nothing.
 */
export type ApprovalRule =
  | {
      /** Kind of the rule. */
      readonly type: 'call';
      /** Name of the tool. */
      readonly tool: string;
      /** The arguments of the allowed call. */
      readonly args: ToolArguments;
    }
  | {
      /** Kind of the rule. */
      readonly type: 'commands';
      /** Name of the tool. */
      readonly tool: string;
      /** Name of the entry in the table of commands. */
      readonly entry: string;
      /** The arguments of the call besides the command. */
      readonly others: ToolArguments;
    }
  | {
      /** Kind of the rule. */
      readonly type: 'reads';
      /** Name of the tool. */
      readonly tool: string;
    };

/** The decision of a person about one call. */
export type ApprovalDecision =
  | {
      /** Kind of the decision. */
      readonly type: 'allow';
    }
  /** Allows this call, and from now on every call that the rule covers. */
  | {
      /** Kind of the decision. */
      readonly type: 'always';
      /** One of the rules of the request. */
      readonly rule: ApprovalRule;
    }
  /** Runs the call with these arguments instead; the observation tells the model so. */
  | {
      /** Kind of the decision. */
      readonly type: 'edit';
      /** The arguments to run the call with. */
      readonly args: ToolArguments;
    }
  /** Does not run the call; the observation tells the model that a person refused, and why. */
  | {
      /** Kind of the decision. */
      readonly type: 'deny';
      /** The reason for the model; may be empty or absent. */
      readonly reason?: string | null | undefined;
    }
  /** Leaves the decision open: the run ends as `needs_approval` before any call of the step runs, and can be resumed. */
  | {
      /** Kind of the decision. */
      readonly type: 'wait';
    }
  /** Ends the run before any call of the step runs. */
  | {
      /** Kind of the decision. */
      readonly type: 'stop';
    };

/** Asks a person to decide. The signal fires when the run is stopped; the run then no longer waits for the decision. */
export type Approve = (
  request: ApprovalRequest,
  signal: AbortSignal,
) => ApprovalDecision | Promise<ApprovalDecision>;

/** The field that each type of decision has in addition to `type`, if any. */
const decisionFields: Readonly<
  Record<ApprovalDecision['type'], readonly [name: string, Expectation] | null>
> = {
  allow: null,
  always: ['rule', anObject],
  edit: ['args', anObject],
  deny: ['reason', [optional(isText), 'a string']],
  wait: null,
  stop: null,
};

const decisionTypes = Object.keys(decisionFields);
const aDecisionType: Expectation = [oneOf(...decisionTypes), `one of: ${decisionTypes.join(', ')}`];

/** Returns why a value is not a valid decision, worded like the service's messages; undefined if it is valid. */
export function findDecisionProblem(value: unknown, place: string): string | undefined {
  if (!isObject(value)) return `${place}: expected a decision, such as { type: "allow" }.`;
  const wrongType = findValueProblem(`${place}.type`, value['type'], aDecisionType);
  if (wrongType) return wrongType;
  // The table has an entry for this type, because the type was checked above.
  const [field, expectation] = decisionFields[value['type'] as ApprovalDecision['type']] ?? [];
  return field && expectation && findValueProblem(`${place}.${field}`, value[field], expectation);
}

/** A proposed call and the tool that it calls. */
interface ToolCall {
  readonly action: ActionDetails;
  readonly tool: Pick<Tool, 'annotations' | 'readShellCall'>;
}

/** Resolves to true if a rule allows the call. Only a rule that would be proposed for this call can allow it. */
export async function isAllowed(call: ToolCall, rules: readonly ApprovalRule[]): Promise<boolean> {
  if (rules.length === 0) return false;
  const candidates = await proposeRules(call);
  return rules.some((rule) => candidates.some((each) => isSameRule(each, rule)));
}

/** Returns true if both rules have the same values, in any order of fields. */
export const isSameRule = (a: ApprovalRule, b: ApprovalRule): boolean => sortedJson(a) === sortedJson(b);

/** Resolves to the rules that a person may choose from for this call. */
export async function proposeRules({ action, tool }: ToolCall): Promise<ApprovalRule[]> {
  const { tool_name, tool_args } = action;
  if (tool.readShellCall) {
    // Proposes no rule for a call that cannot be read, for example because its folder is missing: running it fails,
    // too.
    const call = await tool.readShellCall(tool_args).catch(() => undefined);
    return call ? proposeShellRules(tool_name, call) : [];
  }
  return tool.annotations?.readOnlyHint === true ? [{ type: 'reads', tool: tool_name }] : [];
}

async function proposeShellRules(
  tool: string,
  { command, others, isInside }: ShellCall,
): Promise<ApprovalRule[]> {
  // A person cannot approve characters they cannot see, and a rule covers a single line only.
  if (/[\n\t]/.test(command) || hasUnseen(command) || hasUnseen(JSON.stringify(others))) return [];
  const exactly: ApprovalRule = { type: 'call', tool, args: { command, ...others } };
  const entry = findEntry(command);
  const inside = await Promise.all((entry?.paths ?? []).map(isInside));
  if (!entry || inside.includes(false)) return [exactly];
  return [exactly, { type: 'commands', tool, entry: entry.name, others }];
}

/** Describes a rule for a person. The text quotes the model: a terminal must escape control characters before it prints it. */
export function describeRule(rule: ApprovalRule): string {
  if (rule.type === 'reads') return `${rule.tool}, which only reads`;
  if (rule.type === 'call') return `exactly ${renderCall(rule.tool, rule.args)}`;
  const others = Object.keys(rule.others).length > 0 ? `, ${JSON.stringify(rule.others)}` : '';
  return `${rule.tool}: ${describeEntry(rule.entry)}${others}`;
}

/** Writes JSON with sorted keys, so that equal values have equal texts. */
export function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
