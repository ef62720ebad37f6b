import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
} from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import { type Choice, type Key, LEAVING_KEYS, plainRow } from '../input/picker.js';
import { proposalRows, renderProposal } from '../screen/render-proposal.js';
import { showExactLine, showText, showTextLine } from '../screen/shown-text.js';
import type { Terminal } from '../screen/terminal.js';
import type { AcceptedEdits } from './accepted-edits.js';
import { editArguments } from './edit-arguments.js';

/** Lines of a proposal to show at first. */
const MAX_LINES = 60;

/** For the rules that are offered, narrowest first. */
const RULE_KEYS: readonly Key[] = ['a', 'r'];

/** In characters; a longer call stands in full above. */
const MAX_RULE_LENGTH = 100;

interface ApprovalQuestion {
  readonly signal: AbortSignal;
  /** Offered too, where the call is an edit. */
  readonly edits?: AcceptedEdits | undefined;
}

/** Shows what an action would do, and asks. Esc stops the run. */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  question: ApprovalQuestion,
): Promise<ApprovalDecision> {
  let maxLines = MAX_LINES;
  const shown = terminal.keepShown(() => show(terminal, request, maxLines));
  try {
    for (;;) {
      const key = await chosenKey(terminal, request, question);
      if (key === 'v') {
        maxLines = Number.POSITIVE_INFINITY;
        show(terminal, request, maxLines);
      }
      const decision = key === 'v' ? undefined : await decide(terminal, { ...question, request, key });
      if (decision) return decision;
    }
  } finally {
    shown.end();
  }
}

/** Leaves what was chosen on the screen. */
async function chosenKey(
  terminal: Terminal,
  request: ApprovalRequest,
  { signal, edits }: ApprovalQuestion,
): Promise<Key> {
  const choices = choicesFor(request, { width: terminal.width, isEdit: edits !== undefined });
  const index = await terminal.choose(choices, { signal });
  const choice = choices[index] ?? stop;
  terminal.display.print(plainRow(choice, index));
  return choice.keys[0] ?? 'escape';
}

function show(terminal: Terminal, request: ApprovalRequest, maxLines: number): void {
  const { paint, width } = terminal;
  terminal.display.print(['', ...renderProposal(request, { paint, width, maxLines })].join('\n'));
}

const choiceOf = (key: Key, what: string): Choice => ({ row: `[${key}] ${what}`, keys: [key] });
const allowEdits: Choice = {
  row: '[s] allow, and edits of files in this session (Shift-Tab)',
  keys: ['s', 'shift-tab'],
};
const stop: Choice = { row: '[esc] stop', keys: LEAVING_KEYS };

/** What comes from the model is on these lines too. */
function choicesFor(
  request: ApprovalRequest,
  { width, isEdit }: { width: number; isEdit: boolean },
): readonly Choice[] {
  const { rules } = request;
  return [
    choiceOf('y', 'allow'),
    ...RULE_KEYS.flatMap((key, index) => {
      const rule = rules[index];
      return rule ? [choiceOf(key, `always allow ${inShort(rule)}`)] : [];
    }),
    ...(isEdit ? [allowEdits] : []),
    choiceOf('e', 'edit'),
    ...(proposalRows(request, width).length > MAX_LINES ? [choiceOf('v', 'view all of it')] : []),
    choiceOf('n', 'no, with a reason'),
    stop,
  ];
}

function inShort(rule: ApprovalRule): string {
  const text = showExactLine(describeRule(rule));
  return text.length > MAX_RULE_LENGTH && rule.type === 'call' ? 'exactly this' : text;
}

/** Undefined where the person went back from an input. */
async function decide(
  terminal: Terminal,
  { request, key, signal, edits }: ApprovalQuestion & { request: ApprovalRequest; key: Key },
): Promise<ApprovalDecision | undefined> {
  if (key === 's') edits?.toggle();
  if (key === 'y' || key === 's') return { type: 'allow' };
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
  const { paint, display } = terminal;
  const options = choices.map(
    (choice, index) => `  ${paint('bold', `[${index + 1}]`)} ${showTextLine(choice)}`,
  );
  const shown = terminal.keepShown(() =>
    display.print([`${paint('yellow', '?')} ${paint('bold', showText(question))}`, ...options].join('\n')),
  );
  const line = await terminal.askLine('answer: ', { signal }).finally(() => shown.end());
  return line === undefined ? undefined : (choices[Number(line.trim()) - 1] ?? line);
}
