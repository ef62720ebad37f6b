import { portablePath } from '../../files/portable-path.js';
import { hasUnseen } from '../../sdk/base/unseen.js';

/** Returns a path on one line: in JSON quotes if it has blanks, quotes or invisible characters. */
export const shownPath = (path: string): string =>
  path === '' || /[\s"'\\]/.test(path) || hasUnseen(path) ? JSON.stringify(path) : path;

/**
 * Returns where a path of a call leads, if that is another file because of a link or `..`: `notes.md → .vscode/tasks.json`.
 * A person approves a change of the real file (rule: approval).
 */
export const redirection = (path: string, place: string): string | undefined =>
  portablePath(path) === place ? undefined : `${shownPath(path)} → ${shownPath(place)}`;
