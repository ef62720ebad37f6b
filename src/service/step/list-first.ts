/** Lists the first `count` names, each as `write` returns it, and states the number of the others. */
export function listFirst<Name>(
  names: readonly Name[],
  count: number,
  write: (name: Name) => string = String,
): string {
  const rest = names.length - count;
  return names.slice(0, count).map(write).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
