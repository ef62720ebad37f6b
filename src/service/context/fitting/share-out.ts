/** Minimum number of tokens that are worth sending of an item. Only smaller items get less. */
const MIN_SHARE_TOKENS = 256;

/** Token counts of items; infinite for an item that is larger than any possible share. */
type TokenSizes = readonly number[];

/**
 * Divides the available tokens fairly: an item that is smaller than its share leaves the rest of it to the others, so
 * one giant item cannot starve them. Later items get 0 if less than the minimum share is left. The same input always
 * gives the same shares.
 */
export function shareFairly(sizes: TokenSizes, room: number): number[] {
  const served = serve(sizes, room);
  const level = waterLevel(
    sizes.filter((_, index) => served[index]),
    room,
  );
  return sizes.map((size, index) => (served[index] ? Math.min(size, level) : 0));
}

/** Maximum share of the available tokens that the first item may use to stay uncut. */
const MAX_FIRST_SHARE = 0.5;

/**
 * Gives the first item all the tokens it needs if that is at most half of those available, so that a caller can
 * choose the most important item; divides the rest fairly.
 */
export function shareFirstWhole(sizes: TokenSizes, room: number): number[] {
  const [first = 0, ...others] = sizes;
  if (first > room * MAX_FIRST_SHARE) return shareFairly(sizes, room);
  return sizes.length === 0 ? [] : [first, ...shareFairly(others, room - first)];
}

/** Gives each item all the tokens it needs, in order, as long as tokens are left. */
export function shareInTurn(sizes: TokenSizes, room: number): number[] {
  let left = room;
  return sizes.map((size) => {
    const share = Math.min(size, left);
    if (share < Math.min(size, MIN_SHARE_TOKENS)) return 0;
    left -= share;
    return share;
  });
}

/** Divides the available tokens among groups, then the share of each group fairly among its items. */
export function shareInGroups(
  groups: readonly TokenSizes[],
  divide: typeof shareFairly,
  room: number,
): number[][] {
  const totals = groups.map((sizes) => sizes.reduce((sum, size) => sum + size, 0));
  const shares = divide(totals, room);
  return groups.map((sizes, index) => shareFairly(sizes, shares[index] ?? 0));
}

/** Returns for each item whether it gets tokens: at least the minimum share, or all that it needs. */
function serve(sizes: TokenSizes, room: number): boolean[] {
  let left = room;
  return sizes.map((size) => {
    const minimum = Math.min(size, MIN_SHARE_TOKENS);
    if (minimum > left) return false;
    left -= minimum;
    return true;
  });
}

/**
 * Finds the size up to which items stay uncut, so that all longer items, cut to that size, use up the available
 * tokens.
 */
function waterLevel(sizes: TokenSizes, room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const fair = left / (sizes.length - index);
    if (size > fair) return Math.floor(fair);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
