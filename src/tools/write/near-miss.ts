import { spellUnseen } from '../../sdk/base/unseen.js';

/** Maximum number of different lines that the message describes. */
const MAX_DIFFERENCES = 5;
/** Number of lines of the wanted text that are searched for in the file: the most distinctive ones. */
const MAX_WANTED = 8;
/** Maximum number of characters that are compared in each line, and in the whole file. */
const MAX_LINE_CHARS = 400;
const MAX_FILE_CHARS = 1_000_000;
/** Minimum share of character pairs and triples of the wanted lines that a similar part of the file must contain. */
const MIN_SIMILARITY = 0.6;
/** Number of characters that are quoted before and after the first difference of two lines. */
const BEFORE_CHARS = 40;
const AFTER_CHARS = 80;

/** The lines of a file that resemble a wanted text the most. */
interface NearMiss {
  /** Index of the first of these lines in the file. */
  readonly from: number;
  readonly lines: readonly string[];
}

/**
 * Describes to the model where a file nearly contains the wanted text, and how the two differ. Returns undefined
 * if no part of the file is similar. Both texts must be as `read_file` shows them.
 */
export function describeNearMiss(text: string, wanted: string): string | undefined {
  const wantedLines = wanted.split('\n');
  const found = findSimilar(text.split('\n'), wantedLines);
  if (!found) return undefined;
  const { from, lines } = found;
  const last = from + wantedLines.length;
  const place = wantedLines.length === 1 ? `line is ${last}` : `lines are ${from + 1}-${last}`;
  const differences = wantedLines.flatMap((line, index) => {
    const own = lines[index];
    return isSamePart(own, line, { isFirst: index === 0, isLast: index === wantedLines.length - 1 })
      ? []
      : [describeDifference(from + index + 1, line, own)];
  });
  const more = differences.length - MAX_DIFFERENCES;
  return [
    `The closest ${place}. What differs:`,
    ...differences.slice(0, MAX_DIFFERENCES),
    ...(more > 0 ? [`… and ${more} more lines.`] : []),
  ].join('\n');
}

/**
 * Returns true if the file's line contains the wanted part. The first and the last wanted line may be a part of a
 * line; others must be equal.
 */
function isSamePart(
  own: string | undefined,
  wanted: string,
  { isFirst, isLast }: { isFirst: boolean; isLast: boolean },
): boolean {
  if (own === undefined) return false;
  if (isFirst && isLast) return own.includes(wanted);
  if (isFirst) return own.endsWith(wanted);
  return isLast ? own.startsWith(wanted) : own === wanted;
}

function describeDifference(number: number, wanted: string, own: string | undefined): string {
  if (own === undefined) return `line ${number}: the file ends before it\n  old_string: ${quote(wanted, 0)}`;
  const kind = withoutBlanks(wanted) === withoutBlanks(own) ? ' (only blanks differ)' : '';
  const at = firstDifference(wanted, own);
  const quoted = [`  old_string: ${quote(wanted, at)}`, `  the file:   ${quote(own, at)}`];
  return [`line ${number}${kind}:`, ...quoted, ...describeCharacters(wanted, own, at)].join('\n');
}

/** Names two different characters by their code points if people could mistake one for the other. */
function describeCharacters(wanted: string, own: string, at: number): readonly string[] {
  const [a, b] = [wanted, own].map((line) => String.fromCodePoint(line.codePointAt(at) ?? 0)) as [
    string,
    string,
  ];
  if (/^[\0-\x7f]{2}$/.test(a + b)) return [];
  return [`  At column ${at + 1}, old_string has ${nameOf(a)} and the file has ${nameOf(b)}.`];
}

function nameOf(character: string): string {
  if (character === '\0') return 'nothing';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `${JSON.stringify(spellUnseen(character))} (U+${code})`;
}

function firstDifference(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  return at;
}

/** Quotes a line around a position in JSON quotes, so that blanks at its ends are visible. */
function quote(line: string, at: number): string {
  const from = at > BEFORE_CHARS + 10 ? at - BEFORE_CHARS : 0;
  const to = at + AFTER_CHARS;
  const part = JSON.stringify(spellUnseen(line.slice(from, to), (code) => `<${code}>`));
  return `${from > 0 ? '…' : ''}${part}${to < line.length ? '…' : ''}`;
}

const withoutBlanks = (text: string): string => text.replace(/\s+/g, '');

/**
 * Finds the part of the file that is most similar to the wanted text. Each distinctive wanted line votes for the
 * position of the whole text.
 */
function findSimilar(lines: readonly string[], wanted: readonly string[]): NearMiss | undefined {
  const sought = wanted
    .map((line, index) => ({ index, grams: gramsOf(line) }))
    .filter(({ grams }) => grams.size > 0)
    .sort((a, b) => b.grams.size - a.grams.size)
    .slice(0, MAX_WANTED);
  const total = sought.reduce((sum, { grams }) => sum + grams.size, 0);
  const votes = new Map<number, number>();
  let compared = 0;
  for (const [at, line] of lines.entries()) {
    compared += Math.min(line.length, MAX_LINE_CHARS);
    if (compared > MAX_FILE_CHARS) break;
    const own = gramsOf(line);
    for (const { index, grams } of sought) {
      const shared = countShared(grams, own);
      if (shared * 2 > grams.size) votes.set(at - index, (votes.get(at - index) ?? 0) + shared);
    }
  }
  const [best, count = 0] = [...votes].reduce((a, b) => (b[1] > a[1] ? b : a), [-1, 0]);
  if (best < 0 || count < total * MIN_SIMILARITY) return undefined;
  return { from: best, lines: lines.slice(best, best + wanted.length) };
}

/**
 * Returns the pairs and triples of a line's characters. Ignores what differs most often: blanks, case, quotes and
 * accents.
 */
function gramsOf(line: string): ReadonlySet<string> {
  const plain = line
    .slice(0, MAX_LINE_CHARS)
    .normalize('NFKD')
    .replace(/[\s\p{Cf}\p{Mn}]+/gu, '');
  const text = plain
    .toLowerCase()
    .replace(/[\u2018\u2019\u201c\u201d"`]/g, "'")
    .replace(/[\u2013\u2014]/g, '-');
  const grams = new Set<string>();
  for (let at = 0; at < text.length; at++)
    for (const length of [2, 3]) grams.add(text.slice(at, at + length));
  return grams;
}

function countShared(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let count = 0;
  for (const each of some) if (others.has(each)) count += 1;
  return count;
}
