/** As many as the server answers side by side. */
const AT_A_TIME = 4;

/** The results of all, in order, some of them made at a time. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const left = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return results;
}
