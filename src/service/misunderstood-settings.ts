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
 * Whether somebody who wrote this name had the setting in mind: but for case, underscores, plurals and the unit at its
 * end, it is the setting, or at least its first two words. Names of one short word are anybody's.
 */
function looksLike(name: string, setting: string): boolean {
  const [written, meant] = [wordsOf(name), wordsOf(setting)];
  if (written.join('') === meant.join('')) return setting.includes('_') || setting === 'UPSTREAMS';
  return written.length > 1 && written.every((word, index) => word === meant[index]);
}

const UNIT = /_(?:MS|MILLISECONDS?|SECS?|SECONDS?|MINS?|MINUTES?|BYTES|[KM]I?B)$/;

const wordsOf = (name: string): string[] =>
  name
    .toUpperCase()
    .replace(UNIT, '')
    .split(/S?(?:_+|$)/)
    .filter((word) => word !== '');

/**
 * Settings of OpenTelemetry that a platform gives to everything it runs, and that change nothing here: no reason not to
 * start (rule: tracing-settings).
 */
export function findUnheeded(names: readonly string[]): string[] {
  return names.filter((name) => /^OTEL_/i.test(name) && !Object.hasOwn(otelSettings, name));
}
