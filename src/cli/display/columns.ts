import { stripVTControlCharacters } from 'node:util';

type Measure = typeof import('string-width')['default'];

let measure: Measure | undefined;

/**
 * Loads the library that measures combining characters and emoji. Loading takes longer than the rest of the startup,
 * so it happens after the first line is visible; until then widths are upper bounds.
 */
export async function loadWidths(): Promise<void> {
  ({ default: measure } = await import('string-width'));
}

/** Characters of one column that never combine: Latin, Greek, Cyrillic, Hebrew, punctuation, lines and boxes. */
const NARROW = String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u05d0-\u05ea\u2010-\u2027\u2500-\u257f\ufffd`;
/** Characters of two columns: Chinese, Japanese, Korean syllables, full-width signs. */
const WIDE = String.raw`\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const single = new RegExp(`^[${NARROW}${WIDE}]*$`);
const wide = new RegExp(`[${WIDE}]`, 'g');

/** Returns the width of a text on a terminal: escape sequences take no column, Chinese characters and emoji two. */
export function columnsOf(text: string): number {
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (single.test(shown)) return shown.length + (shown.match(wide)?.length ?? 0);
  return measure ? measure(shown) : maxColumns(shown);
}

/**
 * Returns an upper bound for the width of a text. All signs that this program prints are below U+2E80, so they
 * count as one column.
 */
const maxColumns = (text: string): number =>
  [...text].reduce((sum, character) => sum + (character < '\u2e80' ? 1 : 2), 0);

/** Yields the visible characters: an emoji is one, however many code points it has. */
export function* charactersOf(text: string): Generator<string> {
  if (single.test(text)) yield* text;
  else for (const { segment } of graphemes.segment(text)) yield segment;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
