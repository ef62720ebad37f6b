import { portablePath } from '../../files/portable-path.js';
import { hasUnseen } from '../../sdk/base/unseen.js';

/**
 * Returns a path for a message, on one line. Puts it into JSON quotes if it contains blanks, quotes or invisible
 * characters.
 */
export const shownPath = (path: string): string =>
  path === '' || /[\s"'\\]/.test(path) || hasUnseen(path) ? JSON.stringify(path) : path;

/**
 * Returns the path of a call together with the file that it leads to, if a link or `..` makes that another file:
 * `notes.md → .vscode/tasks.json`. Otherwise returns undefined. A person approves a change of the real file
 * (rule: approval).
 */
export const redirection = (path: string, place: string): string | undefined =>
  portablePath(path) === place ? undefined : `${shownPath(path)} → ${shownPath(place)}`;
