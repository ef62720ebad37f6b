/**
 * On the up and down arrow keys, moves the focus to the previous or next element of `stops`; ignores all other keys.
 */
export function moveFocus(event: KeyboardEvent, stops: Iterable<HTMLElement> = []): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const list = [...stops];
  const at = list.findIndex((stop) => stop.contains(document.activeElement));
  if (step === undefined || at === -1) return;
  event.preventDefault();
  list[at + step]?.focus();
}
