import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './usage.js';

type Options = NonNullable<ParseArgsConfig['options']>;

/** In characters, with the dashes. */
const SHORT = 7;

/** An option as it stands on the command line. */
interface GivenOption {
  /** With its dashes. */
  readonly rawName: string;
  readonly name: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

/** The options and words of a command line. Throws `UsageError`, which names the option that is wrong. */
export function parseOptions<const Known extends Options>(
  argv: readonly string[],
  options: Known,
): ParsedOptions<Known> {
  const given = { args: [...argv], options, allowPositionals: true } as const;
  const { tokens } = parseArgs({ ...given, strict: false, tokens: true });
  for (const token of tokens) if (token.kind === 'option') check(token, options);
  return parseArgs(given);
}

type ParsedOptions<Known extends Options> = ReturnType<
  typeof parseArgs<{ options: Known; allowPositionals: true }>
>;

function check({ rawName, name, value, inlineValue }: GivenOption, options: Options): void {
  const type = Object.hasOwn(options, name) ? options[name]?.type : undefined;
  if (type === undefined) throw new UsageError(unknownOption(rawName, options));
  if (type === 'boolean' && value !== undefined) throw new UsageError(`${rawName} takes no value.`);
  if (type === 'boolean' || inlineValue) return;
  if (value === undefined) throw new UsageError(`${rawName} needs a value.`);
  if (/^-./.test(value))
    throw new UsageError(
      `${rawName} needs a value. One that begins with "-" is given as ${rawName}=${value}.`,
    );
}

function unknownOption(rawName: string, options: Options): string {
  const meant = closest(
    rawName,
    Object.keys(options).map((name) => `--${name}`),
  );
  const hint = meant ? `Did you mean ${meant}?` : '--help lists what there is.';
  return `There is no option ${rawName}. ${hint} A task that begins with "-" comes after --.`;
}

/** The word that differs least, by two letters at most (a short one by one); a beginning stands for the whole. */
export function closest(given: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, distance: distanceOf(given, word) }))
    .sort((a, b) => a.distance - b.distance);
  const nearest = ranked.find(({ word, distance }) => distance <= (word.length < SHORT ? 1 : 2));
  return nearest?.word ?? words.find((word) => given.length > 3 && word.startsWith(given));
}

/**
 * How many letters to put in, take out, change or swap with the next (optimal string alignment); of words whose lengths
 * differ much, the difference.
 */
function distanceOf(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > b.length) return Math.abs(a.length - b.length);
  let [before, row]: number[][] = [[], [...Array(b.length + 1).keys()]];
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const changed = (row?.[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before?.[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(changed, swapped, (row?.[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row?.[b.length] ?? 0;
}
