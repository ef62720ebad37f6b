/** Minimum number of tokens worth giving to an item; only an item that is smaller itself may get less. */
const MIN_SHARE_TOKENS = 256;

/** Tokens that items would take; infinite for an item that exceeds any possible share. */
type TokenSizes = readonly number[];

/**
 * Divides a room fairly: an item smaller than its share leaves the rest to the others, so one giant cannot starve them.
 * If not even the minimum share is left, later items get 0. Pure arithmetic, so the same items and room always
 * give the same shares.
 */
export function shareFairly(sizes: TokenSizes, room: number): number[] {
  const served = serve(sizes, room);
  const level = waterLevel(
    sizes.filter((_, index) => served[index]),
    room,
  );
  return sizes.map((size, index) => (served[index] ? Math.min(size, level) : 0));
}

/** Gives each item in turn what it needs, for items in the order of their worth. */
export function shareInTurn(sizes: TokenSizes, room: number): number[] {
  let left = room;
  return sizes.map((size) => {
    const share = Math.min(size, left);
    if (share < Math.min(size, MIN_SHARE_TOKENS)) return 0;
    left -= share;
    return share;
  });
}

/** Divides a room among groups, and then the share of each group fairly among its items. */
export function shareInGroups(
  groups: readonly TokenSizes[],
  share: typeof shareFairly,
  room: number,
): number[][] {
  const totals = groups.map((sizes) => sizes.reduce((sum, size) => sum + size, 0));
  const shares = share(totals, room);
  return groups.map((sizes, index) => shareFairly(sizes, shares[index] ?? 0));
}

/** Chooses the items that get at least the minimum share, or all of what they need. */
function serve(sizes: TokenSizes, room: number): boolean[] {
  let left = room;
  return sizes.map((size) => {
    const least = Math.min(size, MIN_SHARE_TOKENS);
    if (least > left) return false;
    left -= least;
    return true;
  });
}

/** Finds the size up to which all items are whole, so that the longer ones, cut to it, fill the room. */
function waterLevel(sizes: TokenSizes, room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const fair = left / (sizes.length - index);
    if (size > fair) return Math.floor(fair);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
