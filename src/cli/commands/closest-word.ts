/**
 * A word of at least this many characters may be misspelled in two letters, a shorter word in one. Dashes count as
 * characters.
 */
const MIN_LENGTH_FOR_TWO_TYPOS = 7;

/** Returns the word that `given` most likely misspells: at most two letters differ, or it begins with `given`. */
export function closestWord(given: string, words: readonly string[]): string | undefined {
  const nearest = rank(given, words).find(
    ({ word, distance }) => distance <= (word.length < MIN_LENGTH_FOR_TWO_TYPOS ? 1 : 2),
  );
  return nearest?.word ?? words.find((word) => given.length > 3 && word.startsWith(given));
}

/** Returns the word nearest to `given` of those that differ by at most `maxDistance` letters. */
export function wordWithin(maxDistance: number, given: string, words: readonly string[]): string | undefined {
  return rank(given, words).find(({ distance }) => distance <= maxDistance)?.word;
}

function rank(given: string, words: readonly string[]) {
  return words
    .map((word) => ({ word, distance: editDistance(given, word) }))
    .sort((a, b) => a.distance - b.distance);
}

/**
 * Returns how many letters must be inserted, deleted, replaced or swapped with the next letter to turn one word into
 * the other (optimal string alignment). For words of very different length, returns the difference in length instead.
 */
function editDistance(a: string, b: string): number {
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
