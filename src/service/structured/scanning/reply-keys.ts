/** The keys that a reply object may have. */
const replyKeys: readonly string[] = [
  'thought',
  'action',
  'final_answer',
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
  return replyKeys.includes(taught) ? taught : key;
}
