/** Maximum number of probes. More would only move a cut by a few characters. */
const MAX_PROBES = 14;
const NEAR_ENOUGH = 0.97;
const AIM = 0.985;
const LIKELY_CHARACTERS_PER_TOKEN = 3;

/**
 * Searches for a budget below `characters` whose result uses nearly all of `limit` tokens, and returns that
 * result. Each guess uses the measured rate of characters per token, so few probes are needed. If no probe fits,
 * tries budget 0.
 *
 * @param probe resolves to undefined if its result exceeds the limit.
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
