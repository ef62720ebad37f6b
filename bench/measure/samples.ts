export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** Returns a quantile of the samples, such as 0.5 for the median, interpolated between two samples. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * Returns the ratio of two series for each round. A disturbance of the machine affects both values of a round, so it
 * hardly changes their ratio.
 */
export function ratios(dividends: readonly number[], divisors: readonly number[]): number[] {
  return dividends.map((each, round) => each / (divisors[round] ?? Number.NaN));
}
