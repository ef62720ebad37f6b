/**
 * Returns one sentence for each name that is no setting but was evidently intended as one: spelled otherwise, or without its
 * unit or its last words (rule: settings).
 */
export function findMisunderstood(names: readonly string[], settings: readonly string[]): string[] {
  const ours = settings.map(spellingOf);
  return names.filter((name) => !settings.includes(name)).flatMap((name) => misunderstood(name, ours));
}

/** A name and its normalized forms. Computed once per name: a platform may give a process hundreds of variables. */
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
  const meant = settings.find((setting) => looksLike(written, setting));
  return meant ? [`${name}: there is no such setting; ${meant.name} is one`] : [];
}

/**
 * Whether a name was intended as a setting: apart from case, underscores, plurals, its unit and a typing error in a long name,
 * it is the setting, or at least two words of its beginning or end. Names of one short word, and those that end with `_URL`,
 * may belong to any program.
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

/** Shorter names are too close to those of other programs. */
const MIN_SIMILAR_LENGTH = 10;
const MAX_TYPO_LENGTH = 2;

/** Whether two long names differ in one place only, by one or two letters that are missing, added or replaced. */
function isNearly(written: string, meant: string): boolean {
  const shorter = Math.min(written.length, meant.length);
  const longer = Math.max(written.length, meant.length);
  if (shorter < MIN_SIMILAR_LENGTH || longer - shorter > MAX_TYPO_LENGTH) return false;
  let start = 0;
  while (start < shorter && written[start] === meant[start]) start += 1;
  let end = 0;
  while (end < shorter - start && written.at(-1 - end) === meant.at(-1 - end)) end += 1;
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
