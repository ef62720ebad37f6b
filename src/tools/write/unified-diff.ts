import type { ChangedFile } from '../folder/folder.js';

/** Milliseconds for finding the smallest difference; texts that have little in common take very long. */
const DIFF_TIMEOUT_MS = 1_000;

/** A change as a unified diff; undefined where no difference is found in time. */
export async function unifiedDiff({ path, before, after }: ChangedFile): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import('diff');
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, timeout: DIFF_TIMEOUT_MS };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  return patch?.split('\n').slice(1).join('\n');
}

/** A change as a person is shown it. */
export const renderChange = async (change: ChangedFile): Promise<string> =>
  (await unifiedDiff(change)) ?? renderNewText(change);

/** Where no difference is found in time the new text is shown whole: nothing is approved unseen. */
function renderNewText({ path, before = '', after }: ChangedFile): string {
  const sizes = `${before.length} → ${after.length} characters`;
  const lines = after.split('\n').map((line) => `+${line}`);
  return [`${path}: the whole text changes (${sizes}). The new text:`, ...lines].join('\n');
}
