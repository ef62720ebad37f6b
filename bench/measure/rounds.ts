/**
 * Number of steps or requests that each compared stack answers before it is measured. All stacks get the same number:
 * V8 keeps compiling for thousands of requests, so a stack with less warm-up would look slower.
 */
export const WARM_UP_REQUESTS = 4_000;

/** Number of steps or requests that are measured for a cold figure: the first ones of a fresh process. */
export const COLD_REQUESTS = 40;

/** Number of fresh processes of each stack that a cold figure measures. */
const COLD_PROCESSES = 3;

export interface BenchOptions {
  /** True for a quick run, which shows only that the suite works. Its figures mean nothing. */
  readonly quick: boolean;
}

/** Amount of work that a suite does. */
export interface Effort {
  readonly warmUpRequests: number;
  readonly rounds: number;
  readonly coldProcesses: number;
}

export function effortOf({ quick }: BenchOptions, rounds: number): Effort {
  if (quick) return { warmUpRequests: 0, rounds: 1, coldProcesses: 1 };
  return { warmUpRequests: WARM_UP_REQUESTS, rounds, coldProcesses: COLD_PROCESSES };
}

/**
 * Measures each contestant once per round. Every other round runs in reverse order, so that a slow change of the
 * machine's speed affects all contestants alike. Resolves to the results by contestant, in the order of the
 * rounds.
 */
export async function interleave<Name extends string, Result>(
  names: readonly Name[],
  rounds: number,
  measure: (name: Name, round: number) => Promise<Result>,
): Promise<Record<Name, Result[]>> {
  const results = new Map(names.map((name): [Name, Result[]] => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 ? names.toReversed() : names) {
      results.get(name)?.push(await measure(name, round));
    }
  }
  return Object.fromEntries(results) as Record<Name, Result[]>; // The map was built from these names.
}
