/** Maps in order, at most `limit` at a time, and stops before the next batch once `enough` says so. */
export async function concurrently<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  { limit, enough }: { limit: number; enough?: (results: readonly Result[]) => boolean },
): Promise<Result[]> {
  const results: Result[] = [];
  for (let start = 0; start < items.length && !enough?.(results); start += limit) {
    results.push(...(await Promise.all(items.slice(start, start + limit).map(work))));
  }
  return results;
}
