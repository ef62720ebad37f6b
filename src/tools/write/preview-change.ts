import { createTwoFilesPatch } from 'diff';

/** Milliseconds for finding the smallest difference; texts that have little in common take very long. */
const patience = 1_000;

/** What a person approves: the change as a unified diff. */
export function previewChange(path: string, before: string | undefined, after: string): string {
  const from = before === undefined ? '/dev/null' : `a/${path}`;
  const options = { context: 3, timeout: patience };
  const patch = createTwoFilesPatch(from, `b/${path}`, before ?? '', after, undefined, undefined, options);
  if (patch === undefined)
    return `${path}: the whole text changes (${before?.length} → ${after.length} characters).`;
  return patch.split('\n').slice(1).join('\n');
}
