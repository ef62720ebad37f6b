import { otelSettings } from './otel-settings.js';

/**
 * One sentence for each name that can only have been meant for this service but is none of its settings: written in
 * another way, or without its unit or its last words (rule: settings).
 */
export function findMisunderstood(names: readonly string[], settings: readonly string[]): string[] {
  const ours = settings.map(spellingOf);
  return names.filter((name) => !settings.includes(name)).flatMap((name) => misunderstood(name, ours));
}

/** A name, and what of it is compared. Made once of each: a platform may give a process hundreds of variables. */
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
 * Whether somebody who wrote this name had the setting in mind: but for case, underscores, plurals, the unit at its end and
 * a slip in a long name, it is the setting, or at least two words at its beginning or at its end. Names of one short word are
 * anybody's, and so is what ends with a URL.
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
const LONG_NAME = 10;
const LONGEST_SLIP = 2;

/** Whether two long names differ in one place alone, by a letter or two that are missing, too many or others. */
function isNearly(written: string, meant: string): boolean {
  const shorter = Math.min(written.length, meant.length);
  const longer = Math.max(written.length, meant.length);
  if (shorter < LONG_NAME || longer - shorter > LONGEST_SLIP) return false;
  let start = 0;
  while (start < shorter && written[start] === meant[start]) start += 1;
  let end = 0;
  while (end < shorter - start && written.at(-1 - end) === meant.at(-1 - end)) end += 1;
  return longer - start - end <= LONGEST_SLIP;
}

const UNIT = /_(?:MS|MILLISECONDS?|SECS?|SECONDS?|MINS?|MINUTES?|BYTES|[KM]I?B)$/;

const wordsOf = (name: string): string[] =>
  name
    .toUpperCase()
    .replace(UNIT, '')
    .replace(/IES(?=_|$)/g, 'Y')
    .split(/S?(?:_+|$)/)
    .filter((word) => word !== '');

/**
 * Settings of OpenTelemetry that a platform gives to everything it runs, and that change nothing here: no reason not to
 * start (rule: tracing-settings).
 */
export function findUnheeded(names: readonly string[]): string[] {
  return names.filter((name) => /^OTEL_/i.test(name) && !Object.hasOwn(otelSettings, name));
}
