import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
} from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import { proposalRows, renderProposal } from '../screen/render-proposal.js';
import { showExactLine, showText, showTextLine } from '../screen/shown-text.js';
import type { Key, Terminal } from '../screen/terminal.js';
import { editArguments } from './edit-arguments.js';

/** Lines of a proposal to show at first. */
const MAX_LINES = 60;

/** For the rules that are offered, narrowest first. */
const RULE_KEYS: readonly Key[] = ['a', 'r'];

/** In characters; a longer call stands in full above. */
const MAX_RULE_LENGTH = 100;

/** Shows what an action would do, and asks. Esc stops the run. */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalDecision> {
  const { progress } = terminal;
  show(terminal, request, MAX_LINES);
  const options = choicesFor(request, terminal.width);
  const keys: Key[] = [...options.map(([key]) => key), 'escape', 'ctrl-c'];
  const line = options.map(([key, what]) => `${terminal.paint('bold', `[${key}]`)} ${what}`).join('  ');
  for (;;) {
    progress.write(`${line} `);
    const key = await terminal.pressedKey(keys, signal);
    progress.write(`${key}\n`);
    if (key === 'v') show(terminal, request, Number.POSITIVE_INFINITY);
    const decision = key === 'v' ? undefined : await decide(terminal, { request, key, signal });
    if (decision) return decision;
  }
}

function show(terminal: Terminal, request: ApprovalRequest, maxLines: number): void {
  const { paint, width } = terminal;
  terminal.progress.write(`${renderProposal(request, { paint, width, maxLines }).join('\n')}\n`);
}

/** Keys and what they mean; what comes from the model is on this line too. */
function choicesFor(request: ApprovalRequest, width: number): readonly (readonly [Key, string])[] {
  const { rules } = request;
  return [
    ['y', 'allow'],
    ...RULE_KEYS.flatMap((key, index) => {
      const rule = rules[index];
      return rule ? [[key, `always allow ${inShort(rule)}`] as const] : [];
    }),
    ['e', 'edit'],
    ...(proposalRows(request, width).length > MAX_LINES ? [['v', 'view all of it'] as const] : []),
    ['n', 'no, with a reason'],
    ['esc', 'stop'],
  ];
}

function inShort(rule: ApprovalRule): string {
  const text = showExactLine(describeRule(rule));
  return text.length > MAX_RULE_LENGTH && rule.type === 'call' ? 'exactly this' : text;
}

/** Undefined where the person went back from an input. */
async function decide(
  terminal: Terminal,
  { request, key, signal }: { request: ApprovalRequest; key: Key; signal: AbortSignal },
): Promise<ApprovalDecision | undefined> {
  if (key === 'y') return { type: 'allow' };
  const rule = request.rules[RULE_KEYS.indexOf(key)];
  if (rule) return { type: 'always', rule };
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

/** Puts the model's question to the person. A choice can be answered by its number; Esc gives no answer. */
export async function askInput(
  terminal: Terminal,
  { question, choices }: Pick<InputRequest, 'question' | 'choices'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { paint, progress } = terminal;
  const options = choices.map(
    (choice, index) => `  ${paint('bold', `[${index + 1}]`)} ${showTextLine(choice)}`,
  );
  progress.write([`${paint('yellow', '?')} ${paint('bold', showText(question))}`, ...options, ''].join('\n'));
  const line = await terminal.askLine('answer: ', { signal });
  return line === undefined ? undefined : (choices[Number(line.trim()) - 1] ?? line);
}
