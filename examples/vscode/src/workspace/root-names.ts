/** Returns unique names for the top-level folders, even if some of them have the same name. */
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
