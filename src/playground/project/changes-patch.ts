import { type ChangedFile, unifiedDiff } from '../../tools/portable/index.js';

/** Formats the changes as one patch for `git apply` or `patch -p1`. */
export async function toPatch(changes: readonly ChangedFile[]): Promise<string> {
  const patches = changes.map(async (each) => headOf(each) + (await toDiff(each)));
  return (await Promise.all(patches)).join('');
}

/** Writes git's own header line: without it the patch could not express an empty file. */
function headOf({ path, before }: ChangedFile): string {
  return `diff --git a/${path} b/${path}\n${before === undefined ? 'new file mode 100644\n' : ''}`;
}

/** Formats one change as a complete diff; empty for a new file without lines. */
export async function toDiff(change: ChangedFile): Promise<string> {
  if (change.before === undefined && change.after === '') return '';
  return (await unifiedDiff(change)) ?? wholeText(change);
}

/** Formats a change whose texts differ too much for a diff: removes all old lines and adds all new ones. */
function wholeText({ path, before, after }: ChangedFile): string {
  const [old, now] = [lines(before ?? '', '-'), lines(after, '+')];
  const place = `@@ -${range(old.count)} +${range(now.count)} @@`;
  return `--- ${before === undefined ? '/dev/null' : `a/${path}`}\n+++ b/${path}\n${place}\n${old.text}${now.text}`;
}

const range = (count: number): string => `${count === 0 ? 0 : 1},${count}`;

function lines(text: string, sign: '-' | '+'): { text: string; count: number } {
  if (text === '') return { text: '', count: 0 };
  const ends = text.endsWith('\n');
  const all = (ends ? text.slice(0, -1) : text).split('\n');
  const shown = all.map((line) => `${sign}${line}\n`).join('');
  return { text: ends ? shown : `${shown}\\ No newline at end of file\n`, count: all.length };
}

/** Counts the lines that a diff adds and removes. */
export function countLines(diff: string): { added: number; removed: number } {
  const body = diff.split('\n').slice(2); // the names of the files
  const count = (sign: string) => body.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}
