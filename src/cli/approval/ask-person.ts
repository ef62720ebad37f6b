import { isDeepStrictEqual } from 'node:util';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
} from '../../sdk/actions/approval.js';
import type { InputRequest } from '../../sdk/actions/client-tools.js';
import { type Choice, type Key, LEAVING_KEYS, plainRow } from '../input/picker.js';
import {
  MIN_PROPOSAL_ROWS,
  proposalRows,
  renderProposal,
  renderShortProposal,
} from '../screen/render-proposal.js';
import type { Terminal } from '../screen/terminal.js';
import { showExactLine, showText, showTextLine } from '../screen/visible-text.js';
import type { AcceptedEdits } from './accepted-edits.js';
import { editArguments } from './edit-arguments.js';

/** Maximum number of rows that are printed of a proposal, unless the person asks for all of them. */
const MAX_LINES = 60;

/**
 * Rows left for the choices on a terminal that cannot redraw rows, so that they do not push the proposal out of
 * the window.
 */
const ROWS_OF_CHOICES = 14;

const maxLinesAt = ({ isLive, display }: Terminal): number =>
  isLive ? MAX_LINES : Math.max(MIN_PROPOSAL_ROWS, Math.min(MAX_LINES, display.height - ROWS_OF_CHOICES));

/** Keys for the offered rules, narrowest rule first. */
const RULE_KEYS: readonly Key[] = ['a', 'r'];

/**
 * Maximum number of characters of a rule in a choice. A longer rule is abbreviated, since the full call is visible
 * above.
 */
const MAX_RULE_CHARS = 100;

interface ApprovalQuestion {
  readonly signal: AbortSignal;
  /** Adds a choice that allows all edits of this session. Set only if the call is an edit. */
  readonly edits?: AcceptedEdits | undefined;
}

/** Shows what an action would do and asks for approval. Esc stops the run. */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  question: ApprovalQuestion,
): Promise<ApprovalDecision> {
  let isComplete = false;
  const shown = terminal.keepShown(() => show(terminal, request, isComplete));
  try {
    for (;;) {
      const key = await askForKey(terminal, request, { ...question, isComplete });
      if (key === 'v') {
        isComplete = true;
        show(terminal, request, isComplete);
      }
      const decision = key === 'v' ? undefined : await decide(terminal, { ...question, request, key });
      if (decision) return decision;
    }
  } finally {
    shown.end();
  }
}

/** Asks for a choice. Prints the chosen one above the live region, so that it stays visible. */
async function askForKey(
  terminal: Terminal,
  request: ApprovalRequest,
  { signal, edits, isComplete }: ApprovalQuestion & { readonly isComplete: boolean },
): Promise<Key> {
  const { display } = terminal;
  const choices = choicesFor(request, { terminal, isEdit: edits !== undefined });
  const subject = {
    printedRows: rendered(terminal, request, isComplete).length,
    minRows: MIN_PROPOSAL_ROWS,
    render: (maxLines: number) =>
      renderShortProposal(request, { paint: terminal.paint, width: display.width, maxLines }),
  };
  const index = await terminal.choose(choices, { signal, subject });
  const choice = choices[index] ?? stop;
  display.print(plainRow(choice, index));
  return choice.keys[0] ?? 'escape';
}

function show(terminal: Terminal, request: ApprovalRequest, isComplete: boolean): void {
  terminal.display.print(['', ...rendered(terminal, request, isComplete)].join('\n'));
}

/**
 * Renders the proposal for printing: with `isComplete` all rows with all their blanks, otherwise a long proposal's
 * beginning and end.
 */
function rendered(terminal: Terminal, request: ApprovalRequest, isComplete: boolean) {
  const { paint, width } = terminal;
  const maxLines = isComplete ? Number.POSITIVE_INFINITY : maxLinesAt(terminal);
  return renderProposal(request, { paint, width, maxLines, showsBlanks: isComplete });
}

const choiceOf = (key: Key, what: string): Choice => ({ row: `[${key}] ${what}`, keys: [key] });
const allowEdits: Choice = {
  row: '[s] allow this and all file edits in this session (Shift-Tab)',
  keys: ['s', 'shift-tab'],
};
const stop: Choice = { row: '[esc] stop', keys: LEAVING_KEYS };

/**
 * Returns the choices. Their rows can contain text of the model, so invisible characters in them are made visible, as
 * in the proposal.
 */
function choicesFor(
  request: ApprovalRequest,
  { terminal, isEdit }: { terminal: Terminal; isEdit: boolean },
): readonly Choice[] {
  const { rules } = request;
  const { width } = terminal;
  const rows = proposalRows(request, { width });
  const allRows = proposalRows(request, { width, showsBlanks: true });
  const isCut = rows.length > maxLinesAt(terminal) || !isDeepStrictEqual(rows, allRows);
  return [
    choiceOf('y', 'allow'),
    ...RULE_KEYS.flatMap((key, index) => {
      const rule = rules[index];
      return rule ? [choiceOf(key, `always allow ${shortRule(rule)}`)] : [];
    }),
    ...(isEdit ? [allowEdits] : []),
    choiceOf('e', 'edit'),
    ...(isCut ? [choiceOf('v', 'view all lines')] : []),
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
