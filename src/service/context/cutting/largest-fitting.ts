/** Maximum number of trial cuts. Further trials would move a cut by only a few characters. */
const MAX_PROBES = 14;
const NEAR_ENOUGH = 0.97;
const AIM = 0.985;
const LIKELY_CHARACTERS_PER_TOKEN = 3;

/**
 * Searches for the largest cut of a text that fits `limit` tokens. Tries budgets below `characters` and returns
 * the result of the best one. Each guess uses the characters per token measured so far, so few trials are needed.
 * If no trial fits, tries budget 0.
 *
 * @param probe makes one trial; resolves to undefined if its result exceeds the limit.
 */
export async function largestFitting<Fitted extends { readonly tokens: number }>(
  characters: number,
  limit: number,
  probe: (budget: number) => Promise<Fitted | undefined>,
): Promise<Fitted | undefined> {
  let largest: Fitted | undefined;
  let low = 0;
  let high = characters;
  let guess = limit * LIKELY_CHARACTERS_PER_TOKEN;
  for (let probes = 0; probes < MAX_PROBES && high - low > 1; probes += 1) {
    const middle = (low + high) / 2;
    const budget = Math.floor(guess > low && guess < high ? Math.max(guess, low + 1) : middle);
    const fitted = await probe(budget);
    if (fitted === undefined) {
      high = budget;
      guess = 0;
    } else {
      low = budget;
      largest = fitted;
      if (fitted.tokens >= limit * NEAR_ENOUGH) break;
      guess = (budget * limit * AIM) / Math.max(fitted.tokens, 1);
    }
  }
  return largest ?? probe(0);
}
