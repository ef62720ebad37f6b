import { anything, fitsSequence, namePattern } from './name-pattern.js';

/** One line of a `.gitignore`. */
export interface PathPattern {
  /** True for `!pattern`, which reverses an earlier match. */
  readonly negated: boolean;
  /** True for `pattern/`, which matches only folders. */
  readonly foldersOnly: boolean;
  /** Returns whether the pattern matches a path. The path is given as its parts, relative to the pattern's folder. */
  fits(parts: readonly string[]): boolean;
}

/** Maximum length of a pattern. Real patterns are short, and the time of a match grows with the length. */
const MAX_PATTERN_LENGTH = 512;

/**
 * Parses a pattern as Git does (gitignore(5)). Returns undefined for comments, empty lines, and patterns that
 * cannot match.
 */
export function readPathPattern(line: string): PathPattern | undefined {
  const text = withoutTrailingSpaces(line);
  if (text === '' || text.startsWith('#') || text.length > MAX_PATTERN_LENGTH) return undefined;
  const negated = text.startsWith('!');
  const body = negated ? text.slice(1) : text;
  const foldersOnly = body.endsWith('/');
  const path = foldersOnly ? body.slice(0, -1) : body;
  const fits = path.includes('/') ? anchored(path) : anywhere(path);
  return fits && { negated, foldersOnly, fits };
}

/** Removes trailing spaces, except those after a backslash. */
function withoutTrailingSpaces(line: string): string {
  let end = line.length;
  while (line[end - 1] === ' ' && line[end - 2] !== '\\') end -= 1;
  return line.slice(0, end);
}

function anywhere(glob: string): PathPattern['fits'] | undefined {
  const fits = glob === '' ? undefined : namePattern(glob);
  return fits && ((parts) => fits(parts.at(-1) ?? ''));
}

/**
 * Parses a pattern as a path. If it contains a slash anywhere but at the end, it matches only from the folder of the
 * `.gitignore`; otherwise it matches at any depth.
 */
function anchored(path: string): PathPattern['fits'] | undefined {
  const globs = path.replace(/^\//, '').split('/');
  if (globs.at(-1) === '**') globs.push('*'); // `a/**` matches the contents of `a`, not `a` itself.
  const pattern = globs.map((glob) => (glob === '**' ? anything : namePattern(glob)));
  const parts = pattern.filter((part) => part !== undefined);
  if (parts.length < pattern.length) return undefined;
  return (names) => fitsSequence(names, parts);
}

/** Maximum number of patterns that one pattern with braces expands to. */
const MAX_ALTERNATIVES = 256;

/**
 * Returns a function that matches paths against a pattern in `.gitignore` syntax: `*.ts` at any depth,
 * `src/**\/*.test.ts` from the root, `{a,b}` for either of two names. Brackets also match themselves, because folders
 * of routes are called `[id]`. Returns undefined if the pattern is too long or expands to too many patterns.
 */
export function pathMatcher(pattern: string): ((path: string) => boolean) | undefined {
  const expanded = pattern.length > MAX_PATTERN_LENGTH ? undefined : expandBraces(pattern);
  const patterns = expanded
    ?.flatMap((each) => [...new Set([each, each.replace(/(?<!\\)[[\]]/g, '\\$&')])])
    .map((each) => readPathPattern(asLine(each)))
    .filter((each) => each !== undefined);
  return patterns && ((path) => patterns.some((each) => fitsOrIsBelow(each, path.split('/'))));
}

/** Returns whether a pattern matches the path or a folder that contains it. */
function fitsOrIsBelow(pattern: PathPattern, parts: readonly string[]): boolean {
  return parts.some(
    (_, index) =>
      (index < parts.length - 1 || !pattern.foldersOnly) && pattern.fits(parts.slice(0, index + 1)),
  );
}

function expandBraces(pattern: string): string[] | undefined {
  const done: string[] = [];
  const pending = [pattern];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const choices = expandOne(next);
    if (!choices) done.push(next);
    else pending.push(...choices.toReversed());
    if (done.length + pending.length > MAX_ALTERNATIVES) return undefined;
  }
  return done;
}

/** Expands the first pair of braces that contains a comma and no other braces, as in `{a,b}`. */
function expandOne(pattern: string): string[] | undefined {
  let open = -1;
  for (let at = 0; at < pattern.length; at += 1) {
    if (pattern[at] === '{') open = at;
    if (pattern[at] !== '}' || open < 0) continue;
    const choices = pattern.slice(open + 1, at).split(',');
    const [before, after] = [pattern.slice(0, open), pattern.slice(at + 1)];
    if (choices.length > 1) return choices.map((choice) => before + choice + after);
    open = -1;
  }
  return undefined;
}

/**
 * Escapes `!` and `#`, which would have a special meaning at the start of a `.gitignore` line. A leading `./`
 * becomes `/`.
 */
const asLine = (pattern: string): string => pattern.replace(/^\.\//, '/').replace(/^[!#]/, '\\$&');
