/** Keys of which each makes an object a reply, wherever they stand at its top level. */
const replyKeys: readonly string[] = ['thought', 'action', 'final_answer'];

/** Keys that make it one where they come first; anywhere else they are words like any other. */
const firstKeys: readonly string[] = [
  ...replyKeys,
  'reasoning',
  'plan',
  'tools_to_consider',
  'finish',
  'observation',
  'should_continue',
];

/** A key as it is taught, however its letters are written. */
export function canonicalKey(key: string): string {
  const taught = key.trim().toLowerCase().replaceAll(/[ -]/g, '_');
  return firstKeys.includes(taught) ? taught : key;
}

/** Whether an object is a reply by a key of its top level. */
export function marksReply(key: string, isFirst: boolean): boolean {
  return (isFirst ? firstKeys : replyKeys).includes(key);
}
