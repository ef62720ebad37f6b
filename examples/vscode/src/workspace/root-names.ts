/** What several folders are called on top of their tree: no two alike, whatever their own names are. */
export function rootNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>();
  for (const name of names) {
    const plain = name.replaceAll(/[\\/]/g, '-');
    let free = plain;
    for (let number = 2; taken.has(free); number += 1) free = `${plain} (${number})`;
    taken.add(free);
  }
  return [...taken];
}
