import type { PermissionOption } from '@agentclientprotocol/sdk';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
} from '../../../sdk/actions/approval.js';
import { showExact, showExactLine } from '../../screen/visible-text.js';
import { describeCall, plainContent } from '../updates/tool-call-content.js';
import type { Editor } from './editor.js';

const ALLOW = 'allow';
const REJECT = 'reject';

interface Asked {
  readonly editor: Editor;
  /** The id by which the editor knows the call. */
  readonly toolCallId: string;
  readonly folder: string;
  /** True if the editor already shows the change as a diff. */
  readonly hasDiff: boolean;
}

/**
 * Asks the person in the editor. Anything but a clear yes denies the call: an unknown option, a closed dialog, or an
 * editor that cannot ask (rule: approval).
 */
export async function askPermission(
  request: ApprovalRequest,
  signal: AbortSignal,
  { editor, toolCallId, folder, hasDiff }: Asked,
): Promise<ApprovalDecision> {
  const { action, preview, rules } = request;
  const content = hasDiff || preview === null ? {} : { content: plainContent(showExact(preview)) };
  const toolCall = { toolCallId, ...describeCall(action, folder), ...content };
  try {
    const outcome = await editor.askPermission({ toolCall, options: optionsFor(rules) }, signal);
    if (outcome.outcome === 'selected') return decide(outcome.optionId, rules);
    return deny('The person closed the question without an answer.');
  } catch {
    return deny('The editor could not ask the person.');
  }
}

const optionsFor = (rules: readonly ApprovalRule[]): PermissionOption[] => [
  { optionId: ALLOW, name: 'Allow', kind: 'allow_once' },
  ...rules.map((rule, index) => ({
    optionId: `always-${index}`,
    name: `Always allow ${showExactLine(describeRule(rule))}`,
    kind: 'allow_always' as const,
  })),
  { optionId: REJECT, name: 'Reject', kind: 'reject_once' },
];

function decide(optionId: string, rules: readonly ApprovalRule[]): ApprovalDecision {
  if (optionId === ALLOW) return { type: 'allow' };
  const rule = rules.find((_, index) => optionId === `always-${index}`);
  return rule ? { type: 'always', rule } : deny('The person refused.');
}

const deny = (reason: string): ApprovalDecision => ({ type: 'deny', reason });
