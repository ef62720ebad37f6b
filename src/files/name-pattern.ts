/** Wildcard that matches any number of items: `*` any characters of a name, `**` any parts of a path. */
export const anything: unique symbol = Symbol('anything');

/** A predicate that one item of a sequence must satisfy. */
export type ItemTest = (item: string) => boolean;

/**
 * Returns whether a sequence matches a pattern with wildcards. Backtracks only to the last wildcard, so that it needs
 * at most items × pattern steps; a backtracking regular expression can take exponential time.
 */
export function fitsSequence(
  items: ArrayLike<string>,
  pattern: readonly (ItemTest | typeof anything)[],
): boolean {
  let [item, part, afterWildcard, retryFrom] = [0, 0, -1, 0];
  while (item < items.length) {
    const expected = pattern[part];
    const found = items[item];
    if (expected === anything) {
      part += 1;
      [afterWildcard, retryFrom] = [part, item];
    } else if (expected !== undefined && found !== undefined && expected(found)) {
      [item, part] = [item + 1, part + 1];
    } else if (afterWildcard >= 0) {
      retryFrom += 1;
      [item, part] = [retryFrom, afterWildcard];
    } else return false;
  }
  return pattern.slice(part).every((rest) => rest === anything);
}

/**
 * Returns a matcher for a file name in `.gitignore` syntax: `*`, `?`, `[a-z]`, `\*`. Returns undefined if no name
 * can match the pattern.
 */
export function namePattern(glob: string): ItemTest | undefined {
  if (!/[*?[\\]/.test(glob)) return (name) => name === glob;
  const parts = readParts(glob);
  return parts && ((name) => fitsSequence(name, parts));
}

function readParts(glob: string): (ItemTest | typeof anything)[] | undefined {
  const parts: (ItemTest | typeof anything)[] = [];
  for (let at = 0; at < glob.length; at += 1) {
    const character = glob.charAt(at);
    if (character === '*') {
      if (parts.at(-1) !== anything) parts.push(anything);
    } else if (character === '?') parts.push(() => true);
    else if (character === '[') {
      const set = readSet(glob, at + 1);
      if (!set) return undefined;
      parts.push(set.fits);
      at = set.end;
    } else {
      const literal = character === '\\' ? glob.charAt(++at) : character;
      if (literal === '') return undefined;
      parts.push((each) => each === literal);
    }
  }
  return parts;
}

/** Character classes for names such as `[:alpha:]` inside a set. */
const characterClasses: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z0-9]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /[A-Z]/,
  xdigit: /[0-9a-f]/i,
};

/**
 * Parses a set such as `[a-z_]`, beginning after its opening bracket. Returns undefined if the set is not closed
 * or names an unknown class.
 */
function readSet(glob: string, from: number): { fits: ItemTest; end: number } | undefined {
  const negated = /[!^]/.test(glob.charAt(from));
  const begin = negated ? from + 1 : from;
  const members: ItemTest[] = [];
  // A closing bracket directly after the opening one does not close the set, but belongs to it.
  for (let at = begin; at === begin || glob[at] !== ']'; ) {
    const member = readMember(glob, at);
    if (!member) return undefined;
    members.push(member.fits);
    at = member.next;
    if (glob[at] === ']') return { fits: (each) => members.some((fits) => fits(each)) !== negated, end: at };
  }
  return undefined;
}

/** Parses one member of a set: a class, a range, or a single character. */
function readMember(glob: string, at: number): { fits: ItemTest; next: number } | undefined {
  const [whole, name = ''] = /^\[:([^\]:]*):\]/.exec(glob.slice(at, at + 12)) ?? [];
  if (whole) {
    const characterClass = characterClasses[name];
    return characterClass && { fits: (each) => characterClass.test(each), next: at + whole.length };
  }
  const first = readCharacter(glob, at);
  if (!first) return undefined;
  const isRange = glob[first.next] === '-' && !['', ']'].includes(glob.charAt(first.next + 1));
  const last = isRange ? readCharacter(glob, first.next + 1) : first;
  return last && { fits: (each) => each >= first.value && each <= last.value, next: last.next };
}

function readCharacter(glob: string, at: number): { value: string; next: number } | undefined {
  const escaped = glob[at] === '\\' ? 1 : 0;
  const value = glob.charAt(at + escaped);
  return value === '' ? undefined : { value, next: at + escaped + 1 };
}
