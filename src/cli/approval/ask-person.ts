import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
} from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import { type Choice, type Key, LEAVING_KEYS, plainRow } from '../input/picker.js';
import { proposalRows, renderProposal } from '../screen/render-proposal.js';
import type { Terminal } from '../screen/terminal.js';
import { showExactLine, showText, showTextLine } from '../screen/visible-text.js';
import type { AcceptedEdits } from './accepted-edits.js';
import { editArguments } from './edit-arguments.js';

/** Maximum number of proposal rows before the person asks for all of them. */
const MAX_LINES = 60;

/** Keys for the offered rules, narrowest rule first. */
const RULE_KEYS: readonly Key[] = ['a', 'r'];

/** A longer rule is abbreviated, since the full call is visible above. */
const MAX_RULE_CHARS = 100;

interface ApprovalQuestion {
  readonly signal: AbortSignal;
  /** Offers to allow all edits; set if the call is an edit. */
  readonly edits?: AcceptedEdits | undefined;
}

/** Shows what an action would do and asks for approval. Esc stops the run. */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  question: ApprovalQuestion,
): Promise<ApprovalDecision> {
  let maxLines = MAX_LINES;
  const shown = terminal.keepShown(() => show(terminal, request, maxLines));
  try {
    for (;;) {
      const key = await askForKey(terminal, request, question);
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

/** Asks for a choice and prints it above the live region, so that it stays visible. */
async function askForKey(
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
  row: '[s] allow this and all file edits in this session (Shift-Tab)',
  keys: ['s', 'shift-tab'],
};
const stop: Choice = { row: '[esc] stop', keys: LEAVING_KEYS };

/** Returns the choices. Their rows can contain text of the model, so they are made visible like the proposal. */
function choicesFor(
  request: ApprovalRequest,
  { width, isEdit }: { width: number; isEdit: boolean },
): readonly Choice[] {
  const { rules } = request;
  return [
    choiceOf('y', 'allow'),
    ...RULE_KEYS.flatMap((key, index) => {
      const rule = rules[index];
      return rule ? [choiceOf(key, `always allow ${shortRule(rule)}`)] : [];
    }),
    ...(isEdit ? [allowEdits] : []),
    choiceOf('e', 'edit'),
    ...(proposalRows(request, width).length > MAX_LINES ? [choiceOf('v', 'view all lines')] : []),
    choiceOf('n', 'no, with a reason'),
    stop,
  ];
}

function shortRule(rule: ApprovalRule): string {
  const text = showExactLine(describeRule(rule));
  return text.length > MAX_RULE_CHARS && rule.type === 'call' ? 'exactly this' : text;
}

/** Turns a key into a decision; undefined if the person cancels the input that the key opened. */
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
    const reason = await terminal.askLine('Why not? (the model reads your reason) ', { signal });
    return reason === undefined ? undefined : { type: 'deny', reason };
  }
  return { type: 'stop' };
}

/** Asks the person the model's question. A choice can be answered by its number; Esc returns undefined. */
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
