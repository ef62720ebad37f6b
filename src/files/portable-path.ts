/** In UTF-16 units. */
export const MAX_PATH_LENGTH = 4_096;

/**
 * The normal form of a project path: no `./`, no double or final `/`; `.` is the project itself. Undefined for
 * what could lead elsewhere on any system: NUL, backslash, drive letters, UNC, absolute paths, `..`.
 */
export function portablePath(path: string): string | undefined {
  if (path === '' || path.length > MAX_PATH_LENGTH) return undefined;
  if (/[\0\\]|^\/|^[a-z]:/i.test(path)) return undefined;
  if (!/(?:^|\/)\.{0,2}(?:\/|$)/.test(path)) return path; // in normal form, as most are
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.includes('..') ? undefined : parts.join('/') || '.';
}

/** Whether a path lies below a folder; `src/auth` is no prefix of `src/authz`. */
export function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path.startsWith(`${folder}/`);
}

/** By code units: the same everywhere, whatever the locale. */
export function byCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
