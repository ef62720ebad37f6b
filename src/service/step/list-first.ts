/** Lists the first `count` names, and states the number of the others. */
export function listFirst(names: readonly string[], count: number): string {
  const rest = names.length - count;
  return names.slice(0, count).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
