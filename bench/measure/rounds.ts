export interface BenchOptions {
  /** Only shows that the suite runs; its figures mean nothing. */
  readonly quick: boolean;
  /** Fewer rounds, for whoever changes the code: the medians are the same, give or take a tenth. */
  readonly few: boolean;
}

export interface Rounds {
  /** Rounds of each contestant that are not kept: V8 has compiled what is hot by their end. */
  readonly warmUp: number;
  readonly kept: number;
}

/**
 * Contestants take turns, so that a drift of the machine meets all alike, and the one that begins changes.
 * Resolves with what was measured, by contestant and in order of the rounds.
 */
export async function interleave<Name extends string, Result>(
  names: readonly Name[],
  { warmUp, kept }: Rounds,
  measure: (name: Name, round: number) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results = new Map(names.map((name): [Name, Result[]] => [name, []]));
  for (let round = 0; round < warmUp + kept; round += 1) {
    for (const name of round % 2 ? names.toReversed() : names) {
      const result = await measure(name, round);
      if (round >= warmUp) results.get(name)?.push(result);
    }
  }
  return Object.fromEntries(results) as Record<Name, Result[]>; // by the names it was made of
}
