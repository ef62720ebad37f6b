import type { Trajectory } from '../../../sdk/index.js';

/** Minimum length of a secret, in characters: shorter strings are no keys and occur in texts by chance. */
const MIN_SECRET_LENGTH = 8;

/**
 * Serializes a run or a recording in a format that `readTrajectory` reads. Redacts keys that were typed into a task or returned by
 * a tool.
 */
export function runFile(saved: object, secrets: readonly string[]): string {
  return JSON.stringify(
    saved,
    (_name, value: unknown) => (typeof value === 'string' ? withoutSecrets(value, secrets) : value),
    2,
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.map((secret) => secret.trim()).filter(({ length }) => length >= MIN_SECRET_LENGTH);
  return known.reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
}

/** Returns a file name such as `stepwise-how-is-the-discount.json`, also with keys redacted. */
export function runFileName({ task }: Pick<Trajectory, 'task'>, secrets: readonly string[]): string {
  const words = withoutSecrets(task, secrets)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ['run'];
  return `stepwise-${words.slice(0, 5).join('-').slice(0, 60)}.json`;
}
