/** More would only move a cut by a few characters. */
const MAX_PROBES = 14;
const NEAR_ENOUGH = 0.97;
const AIM = 0.985;
const LIKELY_CHARACTERS_PER_TOKEN = 3;

export interface Measured {
  readonly tokens: number;
}

/**
 * About the largest budget of characters below `characters` whose result takes at most `limit` tokens; 0 if none does.
 * Few probes, each at most `limit` tokens long: it guesses by the rate found so far.
 * `probe` resolves to undefined where its result is over the limit.
 */
export async function largestFitting(
  characters: number,
  limit: number,
  probe: (budget: number) => Promise<Measured | undefined>,
): Promise<number> {
  let low = 0;
  let high = characters;
  let guess = limit * LIKELY_CHARACTERS_PER_TOKEN;
  for (let probes = 0; probes < MAX_PROBES && high - low > 1; probes += 1) {
    const middle = (low + high) / 2;
    const budget = Math.floor(guess > low && guess < high ? Math.max(guess, low + 1) : middle);
    const result = await probe(budget);
    if (result === undefined) {
      high = budget;
      guess = 0;
    } else {
      low = budget;
      if (result.tokens >= limit * NEAR_ENOUGH) break;
      guess = (budget * limit * AIM) / Math.max(result.tokens, 1);
    }
  }
  return low;
}
