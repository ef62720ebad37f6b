import { ToolError } from '../../sdk/actions/tool-errors.js';

/** A pattern of a model as a regular expression. */
interface SearchPattern {
  readonly expression: RegExp;
  /** True if the pattern is not a valid regular expression, so that it is searched for as plain text. */
  readonly isPlain: boolean;
}

/**
 * Matches what other regular expressions know and those of JavaScript silently read as something else: `\A`,
 * `[[:alpha:]]`. A search with it would find nothing and so claim that the text does not exist.
 */
const foreign = /\\(?:\\|([AEGhHKQRXzZ<>]))|(\[:\^?[a-z]+:\])/g;

/** Matches flags for a whole pattern, such as `(?i)`. */
const leadingFlags = /^\(\?([ims]+)\)/;

/**
 * Reads a pattern as a regular expression, or as plain text if it is none. Ignores case unless the pattern contains
 * capital letters, as ripgrep's smart case does. Throws `ToolError` for a pattern that would be misread
 * (rule: search-patterns).
 */
export function readPattern(given: string): SearchPattern {
  if (given === '') throw new ToolError('The pattern is empty.');
  const flags = leadingFlags.exec(given)?.[1] ?? '';
  const pattern = flags ? given.replace(leadingFlags, '') : given;
  if (pattern.includes('\n'))
    throw new ToolError('The search is line by line: a pattern with a line break matches nothing.');
  for (const [, letter, posix] of pattern.matchAll(foreign)) {
    const part = posix ?? (letter && `\\${letter}`);
    if (part)
      throw new ToolError(
        `The search does not support ${part}. Use a regular expression of JavaScript, with \\b, \\s, [a-z], ^ and $.`,
      );
  }
  const isCaseless = flags.includes('i') || !/\p{Lu}/u.test(pattern);
  return toExpression(pattern, isCaseless ? 'i' : '');
}

/** Returns what the model must know about how its pattern was read; empty if nothing. */
export function notesOn(pattern: string, { isPlain, found }: { isPlain: boolean; found: number }): string[] {
  if (isPlain) return ['(The pattern is not a valid regular expression: it was searched for as plain text.)'];
  return found === 0 && /(?<!\\)[([{]/.test(pattern)
    ? ['(The pattern is a regular expression: write \\( to search for a bracket.)']
    : [];
}

function toExpression(pattern: string, flags: string): SearchPattern {
  try {
    const isUnicode = /\\p\{/i.test(pattern); // only with this flag, `\p{L}` is a letter
    return { expression: new RegExp(pattern, isUnicode ? `${flags}u` : flags), isPlain: false };
  } catch {
    const plain = pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return { expression: new RegExp(plain, flags), isPlain: true };
  }
}
