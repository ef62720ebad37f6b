/**
 * Returns one sentence for each unknown variable that was evidently intended as a setting: its name is misspelled,
 * or lacks the unit or the last words (rule: settings).
 */
export function findMisunderstood(names: readonly string[], settings: readonly string[]): string[] {
  const ours = settings.map(spellingOf);
  return names.filter((name) => !settings.includes(name)).flatMap((name) => misunderstood(name, ours));
}

/**
 * A name with its normalized spellings, computed once per name because the environment may have hundreds of
 * variables.
 */
interface Spelling {
  readonly name: string;
  readonly words: readonly string[];
  readonly text: string;
}

function spellingOf(name: string): Spelling {
  const words = wordsOf(name);
  return { name, words, text: words.join('') };
}

function misunderstood(name: string, settings: readonly Spelling[]): string[] {
  const written = spellingOf(name);
  const intended = settings.find((setting) => looksLike(written, setting));
  return intended ? [`${name}: unknown setting; did you mean ${intended.name}?`] : [];
}

/**
 * Returns whether a variable was intended as a setting: its name equals the setting's, or at least two words of
 * its beginning or end. Ignores case, underscores, plurals, the unit, and one typing error in a long name.
 * One-word names, and names that end with `_URL`, may belong to any program.
 */
function looksLike(written: Spelling, setting: Spelling): boolean {
  if (written.text === setting.text) return setting.name.includes('_') || setting.name === 'UPSTREAMS';
  if (isNearly(written.text, setting.text)) return true;
  const { name, words } = written;
  if (words.length < 2) return false;
  return begins(setting.words, words) || (!name.endsWith('_URL') && ends(setting.words, words));
}

const begins = (whole: readonly string[], part: readonly string[]): boolean =>
  part.every((word, index) => word === whole[index]);

const ends = (whole: readonly string[], part: readonly string[]): boolean =>
  part.every((word, index) => word === whole[whole.length - part.length + index]);

/** Minimum length for typo detection. Shorter names are too close to those of other programs. */
const MIN_SIMILAR_LENGTH = 10;
const MAX_TYPO_LENGTH = 2;

/**
 * Returns whether two long names differ in one place only, by one or two missing, added or replaced letters.
 */
function isNearly(written: string, intended: string): boolean {
  const shorter = Math.min(written.length, intended.length);
  const longer = Math.max(written.length, intended.length);
  if (shorter < MIN_SIMILAR_LENGTH || longer - shorter > MAX_TYPO_LENGTH) return false;
  let start = 0;
  while (start < shorter && written[start] === intended[start]) start += 1;
  let end = 0;
  while (end < shorter - start && written.at(-1 - end) === intended.at(-1 - end)) end += 1;
  return longer - start - end <= MAX_TYPO_LENGTH;
}

const UNIT = /_(?:MS|MILLISECONDS?|SECS?|SECONDS?|MINS?|MINUTES?|BYTES|[KM]I?B)$/;

const wordsOf = (name: string): string[] =>
  name
    .toUpperCase()
    .replace(UNIT, '')
    .replace(/IES(?=_|$)/g, 'Y')
    .split(/S?(?:_+|$)/)
    .filter((word) => word !== '');
