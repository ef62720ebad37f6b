import { diffArrays } from 'diff';
import type { PromptMessage } from './prompt-sections.js';

/** Adjacent lines with the same status: kept, added or removed. */
export interface DiffRun {
  readonly kind: 'same' | 'added' | 'removed';
  readonly lines: readonly string[];
}

/**
 * Maximum number of changed lines that are matched with each other, since the time grows with their square. If more
 * lines differ, all lines between the common beginning and end are shown as replaced.
 */
const MAX_EDITS = 2_000;

/**
 * Compares two prompts line by line. Skips their common beginning and end, so the time depends on the change, not on a
 * prompt of 500 KB.
 */
export function comparePrompts(
  before: readonly Pick<PromptMessage, 'role' | 'text'>[],
  after: readonly Pick<PromptMessage, 'role' | 'text'>[],
): readonly DiffRun[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  const start = commonStart(a, b);
  const end = commonEnd(a, b, start);
  return [
    { kind: 'same' as const, lines: b.slice(0, start) },
    ...compareMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    { kind: 'same' as const, lines: b.slice(b.length - end) },
  ].filter(({ lines }) => lines.length > 0);
}

/** Returns the lines of all messages, with a line for the role before each message. */
const linesOf = (messages: readonly Pick<PromptMessage, 'role' | 'text'>[]): readonly string[] =>
  messages.flatMap(({ role, text }) => [`${role}:`, ...text.split('\n')]);

function compareMiddle(before: readonly string[], after: readonly string[]): readonly DiffRun[] {
  const changes = diffArrays([...before], [...after], { maxEditLength: MAX_EDITS });
  if (!changes) {
    return [
      { kind: 'removed', lines: before },
      { kind: 'added', lines: after },
    ];
  }
  return changes.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    lines: value,
  }));
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count += 1;
  return count;
}

function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}
