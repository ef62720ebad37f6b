import type { Trajectory } from '../../../sdk/index.js';

/** In characters: what is shorter is no key, and stands in texts by chance. */
const SHORTEST_SECRET = 8;

/**
 * A run as the file that `readTrajectory` reads. A run holds no key; where one was typed into a task or came back from a
 * tool, it is taken out.
 */
export function runFile(saved: Trajectory, secrets: readonly string[]): string {
  return JSON.stringify(
    saved,
    (_name, value: unknown) => (typeof value === 'string' ? withoutSecrets(value, secrets) : value),
    2,
  );
}

function withoutSecrets(text: string, secrets: readonly string[]): string {
  const known = secrets.map((secret) => secret.trim()).filter(({ length }) => length >= SHORTEST_SECRET);
  return known.reduce((left, secret) => left.replaceAll(secret, '[key]'), text);
}

/** `stepwise-how-is-the-discount.json`: a name is seen in more places than what is in the file, and holds no key either. */
export function runFileName({ task }: Pick<Trajectory, 'task'>, secrets: readonly string[]): string {
  const words = withoutSecrets(task, secrets)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? ['run'];
  return `stepwise-${words.slice(0, 5).join('-').slice(0, 60)}.json`;
}
