import { otelSettings } from './otel-settings.js';

/**
 * One sentence for each name that can only have been meant for this service but is none of its settings: written in
 * another way, or without its unit or its last words (rule: settings).
 */
export function findMisunderstood(names: readonly string[], settings: readonly string[]): string[] {
  return names.filter((name) => !settings.includes(name)).flatMap((name) => misunderstood(name, settings));
}

function misunderstood(name: string, settings: readonly string[]): string[] {
  const meant = settings.find((setting) => looksLike(name, setting));
  return meant ? [`${name}: there is no such setting; ${meant} is one`] : [];
}

/**
 * Whether somebody who wrote this name had the setting in mind: but for case, underscores, plurals, the unit at its end and
 * a slip in a long name, it is the setting, or at least two words at its beginning or at its end. Names of one short word are
 * anybody's, and so is what ends with a URL.
 */
function looksLike(name: string, setting: string): boolean {
  const [written, meant] = [wordsOf(name), wordsOf(setting)];
  if (written.join('') === meant.join('')) return setting.includes('_') || setting === 'UPSTREAMS';
  if (isNearly(written.join(''), meant.join(''))) return true;
  if (written.length < 2) return false;
  return begins(meant, written) || (!name.endsWith('_URL') && begins(meant.reverse(), written.reverse()));
}

const begins = (whole: readonly string[], part: readonly string[]): boolean =>
  part.every((word, index) => word === whole[index]);

/** Shorter names are too close to those of other programs. */
const LONG_NAME = 10;
const LONGEST_SLIP = 2;

/** Whether two long names differ in one place alone, by a letter or two that are missing, too many or others. */
function isNearly(written: string, meant: string): boolean {
  if (Math.min(written.length, meant.length) < LONG_NAME) return false;
  const same = sameAtStart(written, meant);
  const [left, wanted] = [written.slice(same), meant.slice(same)];
  const rest = Math.max(left.length, wanted.length) - sameAtStart(reverse(left), reverse(wanted));
  return rest <= LONGEST_SLIP;
}

function sameAtStart(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

const reverse = (text: string): string => [...text].reverse().join('');

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
