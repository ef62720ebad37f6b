import type { PermissionOption, ToolCallContent } from '@agentclientprotocol/sdk';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
} from '../../../sdk/actions/approval.js';
import type { ToolArguments } from '../../../sdk/actions/define-tool.js';
import { toToolEvent } from '../../../sdk/base/tool-event.js';
import { NOBODY_TO_ASK } from '../../../sdk/run/clear-actions.js';
import { showExact, showExactLine } from '../../screen/visible-text.js';
import { describeCall, fenced } from '../updates/tool-call-content.js';
import type { Editor } from './editor.js';

const ALLOW = 'allow';
const REJECT = 'reject';
const ACCEPT_EDITS = 'accept-edits';

/** The decision of the person in the editor, who can also allow all edits of the session. */
type EditorDecision = ApprovalDecision | { readonly type: 'accept-edits' };

interface Asked {
  readonly editor: Editor;
  /** The id by which the editor knows the call. */
  readonly toolCallId: string;
  readonly folder: string;
  /** True if the editor already shows the change as a diff. */
  readonly hasDiff: boolean;
  /** True if the mode that accepts edits would allow this call. */
  readonly offersEdits: boolean;
}

/**
 * Asks the person in the editor. Anything but a clear yes denies the call: an unknown option, a closed dialog, or an
 * editor that cannot ask (rule: approval).
 */
export async function askPermission(
  request: ApprovalRequest,
  signal: AbortSignal,
  { editor, toolCallId, folder, hasDiff, offersEdits }: Asked,
): Promise<EditorDecision> {
  const { action, preview, rules } = request;
  const content = hasDiff ? {} : { content: wholeContent(preview ?? argumentsText(action.tool_args)) };
  const toolCall = { toolCallId, ...describeCall(toToolEvent(action), folder), ...content };
  const options = optionsFor(rules, offersEdits);
  try {
    const outcome = await editor.askPermission({ toolCall, options }, signal);
    if (outcome.outcome === 'selected') return decide(outcome.optionId, { rules, offersEdits });
    return deny('The person closed the question without an answer.');
  } catch {
    return deny(NOBODY_TO_ASK);
  }
}

/** Returns the whole text as the content of a question, since the person decides on the basis of this text. */
const wholeContent = (text: string): ToolCallContent[] =>
  text === '' ? [] : [{ type: 'content', content: { type: 'text', text: fenced(showExact(text)) } }];

/**
 * Returns the arguments of a call as text. Used for a call that has no preview, such as an MCP call, because the call's
 * title may be cut.
 */
const argumentsText = (args: ToolArguments): string =>
  Object.keys(args).length > 0 ? JSON.stringify(args, null, 2) : '';

const optionsFor = (rules: readonly ApprovalRule[], offersEdits: boolean): PermissionOption[] => [
  { optionId: ALLOW, name: 'Allow', kind: 'allow_once' },
  ...rules.map((rule, index) => ({
    optionId: `always-${index}`,
    name: `Always allow ${showExactLine(describeRule(rule))}`,
    kind: 'allow_always' as const,
  })),
  ...(offersEdits
    ? [{ optionId: ACCEPT_EDITS, name: 'Allow all edits in this session', kind: 'allow_always' as const }]
    : []),
  { optionId: REJECT, name: 'Reject', kind: 'reject_once' },
];

function decide(
  optionId: string,
  { rules, offersEdits }: { readonly rules: readonly ApprovalRule[]; readonly offersEdits: boolean },
): EditorDecision {
  if (optionId === ALLOW) return { type: 'allow' };
  if (optionId === ACCEPT_EDITS && offersEdits) return { type: 'accept-edits' };
  const rule = rules.find((_, index) => optionId === `always-${index}`);
  return rule ? { type: 'always', rule } : deny();
}

const deny = (reason?: string): EditorDecision => ({ type: 'deny', ...(reason && { reason }) });
