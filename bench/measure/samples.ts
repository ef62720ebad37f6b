export function median(samples: readonly number[]): number {
  return quantile(samples, 0.5);
}

/** The sample below which this share of all lie; between two of them in proportion. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Round by round, since what disturbed a round disturbed both; no number where the other is not above zero. */
export function ratios(ours: readonly number[], theirs: readonly number[]): number[] {
  return ours.map((each, round) => {
    const other = theirs[round] ?? 0;
    return other > 0 ? each / other : Number.NaN;
  });
}
