import type { ChangedFile } from '../folder/folder.js';
import { shownPath } from '../folder/shown-path.js';

/** Time limit for computing a diff. Comparing texts that have little in common can take very long. */
export const DIFF_TIMEOUT_MS = 1_000;

/** Renders a change as a unified diff. Returns undefined if that takes too long. */
export async function unifiedDiff({ path, before, after }: ChangedFile): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import('diff');
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, timeout: DIFF_TIMEOUT_MS };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  return patch?.split('\n').slice(1).join('\n');
}

/** Renders a change for a person: as a diff, or as the whole new text if the diff would take too long. */
export const renderChange = async (change: ChangedFile): Promise<string> =>
  (await unifiedDiff(change)) ?? renderNewText(change);

/** Renders the whole new text, so that a person can see a change before approving it even without a diff. */
function renderNewText({ path, before = '', after }: ChangedFile): string {
  const sizes = `${before.length} → ${after.length} characters`;
  const lines = after.split('\n').map((line) => `+${line}`);
  return [`${shownPath(path)}: the whole text changes (${sizes}). The new text:`, ...lines].join('\n');
}
