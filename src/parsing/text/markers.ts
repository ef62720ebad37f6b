import { isOneOf, skipBlanks, skipDigits, skipSpace } from './characters.js';

/** The field that a label at the start of a line announces (rule: markers). */
type Label = 'thought' | 'action' | 'action_input' | 'observation' | 'answer';

export interface Marker {
  readonly label: Label;
  /** Start of the label, with any `**` or `#` before it. */
  readonly start: number;
  /** The position after the label's colon and a closing `**`, or after its tag. */
  readonly end: number;
  /** The closing tag, such as `</final_answer>`, if the label is written as a tag; else null. */
  readonly close: string | null;
  /** True if the label opens `**` that is closed only after the text, as in `**Final Answer: 42**`. */
  readonly openBold: boolean;
}

/** The labels and their fields. A longer label comes before a label with which it begins. */
const labels: readonly (readonly [string, Label])[] = [
  ['action input', 'action_input'],
  ['action', 'action'],
  ['thought', 'thought'],
  ['observation', 'observation'],
  ['final answer', 'answer'],
  ['answer', 'answer'],
];
const tags: readonly (readonly [string, Label])[] = [
  ['<final_answer>', 'answer'],
  ['<answer>', 'answer'],
  ['<observation>', 'observation'],
];
/** Closing tag of an answer in which Hunyuan also writes calls. */
export const ANSWER_TAG_CLOSE = '</answer>';
/** Labels by their first letter, a fast path for most lines. */
const labelsByLetter = new Map(
  [...'atof'].flatMap((letter) => {
    const own = labels.filter(([word]) => word.startsWith(letter));
    return [[letter, own] as const, [letter.toUpperCase(), own] as const];
  }),
);
const MAX_BLANKS = 8;
const MAX_DIGITS = 9;

/**
 * Returns the label at the start of the line that begins at `lineStart`. Returns `'partial'` if the text ends within a
 * possible label, so that a stream must wait.
 */
export function matchMarker(text: string, lineStart: number): Marker | 'partial' | null {
  const start = skipBlanks(text, lineStart);
  if (text.charAt(start) === '<') return matchTag(text, start);
  const emphasis = skipEmphasis(text, start);
  if (emphasis.position >= text.length) return start < text.length ? 'partial' : null;
  const candidates = labelsByLetter.get(text.charAt(emphasis.position));
  if (!candidates) return null;
  let partial = false;
  for (const [word, label] of candidates) {
    const matched = matchWord(text, emphasis.position, word);
    const wordEnd = emphasis.position + word.length;
    const isHeading = word === 'final answer' && emphasis.position > start;
    const end =
      matched === 'whole'
        ? (labelEnd(text, wordEnd) ?? (isHeading ? headingEnd(text, wordEnd, emphasis.bold) : null))
        : matched;
    if (end === 'partial') partial = true;
    else if (end)
      return { label, start, end: end.position, close: null, openBold: emphasis.bold && !end.bold };
  }
  return partial ? 'partial' : null;
}

/**
 * Extends the label of an answer by a second one directly after it: `<final_answer>` after `Final Answer:`, or the
 * reverse. `'partial'` if more text is needed to decide.
 */
export function withInnerLabel(text: string, marker: Marker): Marker | 'partial' {
  const at = skipSpace(text, marker.end);
  if (at >= text.length) return 'partial';
  const inner = matchMarker(text, at);
  if (inner === 'partial') return 'partial';
  const isSecond = marker.close === null ? inner?.close === '</final_answer>' : inner?.close === null;
  if (inner?.label !== 'answer' || !isSecond) return marker;
  const { end, close, openBold } = inner;
  return { ...marker, end, close: close ?? marker.close, openBold: openBold || marker.openBold };
}

function matchTag(text: string, start: number): Marker | 'partial' | null {
  const first = text.charAt(start + 1).toLowerCase();
  if (first === '') return 'partial';
  for (const [tag, label] of tags) {
    if (tag.charAt(1) !== first) continue;
    const matched = matchWord(text, start, tag);
    if (matched === 'partial') return 'partial';
    if (matched === 'whole')
      return { label, start, end: start + tag.length, close: `</${tag.slice(1)}`, openBold: false };
  }
  return null;
}

function matchWord(text: string, position: number, word: string): 'whole' | 'partial' | null {
  const written = text.slice(position, position + word.length).toLowerCase();
  if (written === word) return 'whole';
  return position + word.length > text.length && word.startsWith(written) ? 'partial' : null;
}

/** Skips `##` and `**` before a label. */
function skipEmphasis(text: string, start: number): { position: number; bold: boolean } {
  let position = start;
  while (text.charAt(position) === '#' && position - start < 6) position += 1;
  if (position > start) position = skipFewBlanks(text, position);
  const bold = text.startsWith('**', position);
  if (bold) return { position: position + 2, bold };
  return { position: position === text.length - 1 && text.endsWith('*') ? text.length : position, bold };
}

/** Skips what may follow the word of a label: a number, `**`, `:` and another `**`. Null if there is no colon. */
function labelEnd(text: string, wordEnd: number): { position: number; bold: boolean } | 'partial' | null {
  let position = skipDigits(text, skipFewBlanks(text, wordEnd), MAX_DIGITS);
  position = skipFewBlanks(text, position);
  const boldInside = text.startsWith('**', position);
  if (boldInside) position = skipFewBlanks(text, position + 2);
  if (position >= text.length || (position === text.length - 1 && text.endsWith('*'))) return 'partial';
  if (text.charAt(position) !== ':' && text.charAt(position) !== '：') return null;
  position += 1;
  if (boldInside) return { position, bold: true };
  if (text.startsWith('**', position)) return { position: position + 2, bold: true };
  return { position, bold: false };
}

/**
 * Returns the end of a heading or bold line that is exactly `Final Answer` and needs no colon (rule:
 * markers).
 */
function headingEnd(
  text: string,
  wordEnd: number,
  isBold: boolean,
): { position: number; bold: boolean } | 'partial' | null {
  if (isBold && !text.startsWith('**', wordEnd)) return null;
  let position = skipFewBlanks(text, isBold ? wordEnd + 2 : wordEnd);
  while (text.charAt(position) === '#') position += 1;
  position = skipFewBlanks(text, position);
  if (position >= text.length) return 'partial';
  return isOneOf('\r\n', text, position) ? { position, bold: true } : null;
}

function skipFewBlanks(text: string, position: number): number {
  return Math.min(skipBlanks(text, position), position + MAX_BLANKS);
}
