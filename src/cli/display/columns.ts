import { stripVTControlCharacters } from 'node:util';

type Measure = typeof import('string-width')['default'];

let measure: Measure | undefined;

/**
 * Loads what knows the widths of characters that join others, such as marks and emoji. It takes longer than all the
 * rest, so it is loaded where much will be drawn, after the first line is seen; until then widths are at most those
 * that are told.
 */
export async function loadWidths(): Promise<void> {
  ({ default: measure } = await import('string-width'));
}

/** Letters and signs of one column that join nothing: Latin, Greek, Cyrillic, Hebrew, punctuation, lines and boxes. */
const NARROW = String.raw` -~\u00a1-\u00ac\u00ae-\u02ff\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u05d0-\u05ea\u2010-\u2027\u2500-\u257f\ufffd`;
/** Of two columns: Chinese, Japanese, Korean syllables, full-width signs. */
const WIDE = String.raw`\u3000-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60`;

const single = new RegExp(`^[${NARROW}${WIDE}]*$`);
const wide = new RegExp(`[${WIDE}]`, 'g');

/** How wide a text is on a terminal: colours take no column, Chinese characters and emoji two. */
export function columnsOf(text: string): number {
  const shown = text.includes('\u001b') ? stripVTControlCharacters(text) : text;
  if (single.test(shown)) return shown.length + (shown.match(wide)?.length ?? 0);
  return measure ? measure(shown) : atMostColumns(shown);
}

/** Signs of our own are among the narrow ones below the scripts of East Asia. */
const atMostColumns = (text: string): number =>
  [...text].reduce((sum, character) => sum + (character < '\u2e80' ? 1 : 2), 0);

/** What a person takes for characters: an emoji is one, however many it is made of. */
export function* charactersOf(text: string): Generator<string> {
  if (single.test(text)) yield* text;
  else for (const { segment } of graphemes.segment(text)) yield segment;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
