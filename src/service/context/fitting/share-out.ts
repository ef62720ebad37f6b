/** Less than this says too little of anything; only what is smaller by itself may take less. In tokens. */
const LEAST_SHARE = 256;

/** Tokens an item would take; infinite if it is longer than anything that can be given. */
type TokenSizes = readonly number[];

/**
 * Fair shares of a room: an item smaller than its share leaves the rest to the others, so one giant cannot starve
 * them. Items come in order: if not even the least share is left, one gets nothing (0). Pure arithmetic, so the
 * same items and room always give the same shares.
 */
export function shareFairly(sizes: TokenSizes, room: number): number[] {
  const served = serve(sizes, room);
  const level = waterLevel(
    sizes.filter((_, index) => served[index]),
    room,
  );
  return sizes.map((size, index) => (served[index] ? Math.min(size, level) : 0));
}

/** The first takes what it needs, then the next: for items whose order is their worth. */
export function shareInTurn(sizes: TokenSizes, room: number): number[] {
  let left = room;
  return sizes.map((size) => {
    const share = Math.min(size, left);
    if (share < Math.min(size, LEAST_SHARE)) return 0;
    left -= share;
    return share;
  });
}

/** The same in two rounds: groups share the room, and the items of a group share what it got. */
export function shareInGroups(
  groups: readonly TokenSizes[],
  share: typeof shareFairly,
  room: number,
): number[][] {
  const totals = groups.map((sizes) => sizes.reduce((sum, size) => sum + size, 0));
  const shares = share(totals, room);
  return groups.map((sizes, index) => shareFairly(sizes, shares[index] ?? 0));
}

/** Every item served gets at least its least share, or all of it. */
function serve(sizes: TokenSizes, room: number): boolean[] {
  let left = room;
  return sizes.map((size) => {
    const least = Math.min(size, LEAST_SHARE);
    if (least > left) return false;
    left -= least;
    return true;
  });
}

/** The size up to which all are whole, so that the longer ones, cut to it, fill the room. */
function waterLevel(sizes: TokenSizes, room: number): number {
  let left = room;
  for (const [index, size] of sizes.toSorted((a, b) => a - b).entries()) {
    const fair = left / (sizes.length - index);
    if (size > fair) return Math.floor(fair);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}
