/** How many turns of the event loop others had meanwhile, up to a thousand. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    if (turns < 1_000) ahead = setImmediate(turn);
  };
  let ahead = setImmediate(turn);
  await work();
  clearImmediate(ahead);
  return turns;
}
