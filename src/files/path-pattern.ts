import ignore from 'ignore';

/**
 * Says whether a path fits a pattern written as in `.gitignore`: `*.ts` at any depth, `src/**\/*.test.ts` from the
 * root, `{a,b}` for either.
 */
export function pathMatcher(pattern: string): (path: string) => boolean {
  const rules = ignore().add(expandBraces(pattern).map(escapeFirst));
  return (path) => rules.ignores(path);
}

function expandBraces(pattern: string): string[] {
  const [whole, before = '', choices, after = ''] = /^(.*?)\{([^{}]*,[^{}]*)\}(.*)$/.exec(pattern) ?? [];
  if (whole === undefined || choices === undefined) return [pattern];
  return choices.split(',').flatMap((choice) => expandBraces(before + choice + after));
}

/** `!` and `#` mean something else at the start of a line of `.gitignore`; a leading `./` means nothing there. */
const escapeFirst = (pattern: string): string => pattern.replace(/^\.\//, '/').replace(/^[!#]/, '\\$&');
