/** Maximum length of a path in UTF-16 code units. */
export const MAX_PATH_LENGTH = 4_096;

/**
 * Returns the normal form of a project path: no `./`, no double or final `/`; `.` is the project itself. Returns
 * undefined for paths that could lead outside on any system: absolute paths, and paths with NUL, a backslash, a drive
 * letter, a UNC prefix or `..`.
 */
export function portablePath(path: string): string | undefined {
  if (path === '' || path.length > MAX_PATH_LENGTH) return undefined;
  if (/[\0\\]|^\/|^[a-z]:/i.test(path)) return undefined;
  if (!/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return path; // Most paths are in normal form already.
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : parts.join('/') || '.';
}

/** Returns whether a path is below a folder. Compares whole names: `src/authz` is not below `src/auth`. */
export function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}

/** Compares two texts by their code units, so that the order is the same in every locale. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
