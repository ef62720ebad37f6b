import { renderCall } from '../../conversation/call-text.js';
import type { ApprovalDecision, ApprovalRequest, ApprovalRule } from '../../sdk/actions/approval.js';
import { sanitize } from '../screen/sanitize.js';
import type { Key, Terminal } from '../screen/terminal.js';
import { editArguments } from './edit-arguments.js';

/** Lines of a preview to show; whoever wants more denies and asks. */
const maxPreviewLines = 60;

/** Shows what an action would do, and asks. Esc stops the run. */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalDecision> {
  terminal.progress.write(`${describe(terminal, request)}\n`);
  const [rule] = request.rules;
  const keys: Key[] = ['y', 'e', 'n', 'escape', 'ctrl-c', ...(rule ? ['a'] : [])];
  for (;;) {
    terminal.progress.write(`${choices(terminal, rule)} `);
    const key = await terminal.pressedKey(keys, signal);
    terminal.progress.write(`${key}\n`);
    const decision = await decide(terminal, { request, key, signal });
    if (decision) return decision;
  }
}

/** Undefined where the person went back from an input. */
async function decide(
  terminal: Terminal,
  { request, key, signal }: { request: ApprovalRequest; key: Key; signal: AbortSignal },
): Promise<ApprovalDecision | undefined> {
  const [rule] = request.rules;
  if (key === 'y') return { type: 'allow' };
  if (key === 'a' && rule) return { type: 'always', rule };
  if (key === 'e') {
    const args = await editArguments(terminal, request.action.tool_args, signal);
    return args && { type: 'edit', args };
  }
  if (key === 'n') {
    const reason = await terminal.askLine('Why not? (the model reads it) ', { signal });
    return reason === undefined ? undefined : { type: 'deny', reason };
  }
  return { type: 'stop' };
}

function describe({ paint, width }: Terminal, { action, preview }: ApprovalRequest): string {
  const title = `${action.tool_name} needs your approval`;
  const edge = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 5));
  const text = preview ?? renderCall(action.tool_name, action.tool_args);
  const lines = sanitize(text).trimEnd().split('\n');
  const shown = lines
    .slice(0, maxPreviewLines)
    .map((line) => `${paint('yellow', '│')} ${paintDiff(paint, line)}`);
  const more = lines.length - shown.length;
  return [
    `${paint('yellow', '╭─')} ${paint('bold', title)} ${paint('yellow', edge)}`,
    ...shown,
    ...(more > 0 ? [`${paint('yellow', '│')} ${paint('dim', `… ${more} more lines`)}`] : []),
    paint('yellow', '╰─'),
  ].join('\n');
}

function paintDiff(paint: Terminal['paint'], line: string): string {
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}

function choices({ paint }: Terminal, rule: ApprovalRule | undefined): string {
  const options = [
    ['y', 'allow'],
    ...(rule
      ? [['a', `always allow ${rule.command_prefix ? `"${rule.command_prefix} …"` : rule.tool}`]]
      : []),
    ['e', 'edit'],
    ['n', 'no, with a reason'],
    ['esc', 'stop'],
  ];
  return options.map(([key = '', what]) => `${paint('bold', `[${key}]`)} ${what}`).join('  ');
}
