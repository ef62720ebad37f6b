import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { TerminalToolError, ToolError } from '../sdk/actions/tool-errors.js';
import { isForbidden } from './forbidden-paths.js';
import { errorCode, notReadable, toToolError } from './system-failure.js';

const noFollow = constants.O_NOFOLLOW ?? 0;
const noWait = constants.O_NONBLOCK ?? 0;
const folderOnly = constants.O_DIRECTORY ?? 0;

/**
 * The one folder that tools may touch. Every path is judged by where it really leads, and what was opened is
 * judged once more, so that swapping a link between check and open gains nothing (SPEC §5, §12).
 */
export class ProjectRoot {
  /** The folder's real path. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** The root itself may be a link. Throws if there is no such folder. */
  static async open(folder: string): Promise<ProjectRoot> {
    const real = await realpath(folder);
    const handle = await open(real, constants.O_RDONLY | folderOnly);
    await handle.close();
    return new ProjectRoot(real);
  }

  /** The path as a person writes it: relative to the root, with `/`; `.` for the root. */
  name(realPath: string): string {
    return relative(this.folder, realPath).split(sep).join('/') || '.';
  }

  /**
   * Where the path really leads; it need not exist yet. Throws a terminal error for anything outside the root,
   * and the same `ToolError` for missing and forbidden.
   */
  async locate(path: string): Promise<string> {
    if (path.includes('\0')) throw new ToolError('A path cannot contain a NUL character.');
    if (path.includes('\\')) throw new ToolError('Use "/" between the parts of a path.');
    const real = await this.#follow(resolve(this.folder, path), path);
    if (!this.#contains(real)) throw outside(path);
    if (isForbidden(this.name(real))) throw notReadable(path);
    return real;
  }

  /** Opens a regular file for reading; never waits for a pipe or a device. The caller closes it. */
  async openFile(path: string): Promise<FileHandle> {
    const real = await this.locate(path);
    return this.#openVerified(real, constants.O_RDONLY | noWait, path);
  }

  /**
   * A path to the folder that cannot be swapped while `use` works in it: through its open descriptor where the
   * system has such paths (Linux), else its real path.
   */
  async useFolder<Result>(path: string, use: (pinned: string) => Promise<Result>): Promise<Result> {
    const real = await this.locate(path);
    const handle = await this.#openVerified(real, constants.O_RDONLY | folderOnly, path);
    try {
      const pinned = `/proc/self/fd/${handle.fd}`;
      return await use((await linkTarget(pinned)) === undefined ? real : pinned);
    } catch (error) {
      throw toToolError(error, path);
    } finally {
      await handle.close();
    }
  }

  /** Resolves links in the part of the path that exists: a file to be written may not exist yet. */
  async #follow(target: string, path: string): Promise<string> {
    try {
      return await realpath(target);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw toToolError(error, path);
      return join(await this.#follow(dirname(target), path), basename(target));
    }
  }

  async #openVerified(real: string, flags: number, path: string): Promise<FileHandle> {
    const handle = await open(real, flags | noFollow).catch((error) => {
      throw toToolError(error, path);
    });
    try {
      const opened = (await linkTarget(`/proc/self/fd/${handle.fd}`)) ?? (await realpath(real));
      if (!this.#contains(opened)) throw outside(path);
      if (isForbidden(this.name(opened))) throw notReadable(path);
      const expectFolder = (flags & folderOnly) !== 0;
      const status = await handle.stat();
      if (expectFolder ? !status.isDirectory() : !status.isFile()) throw notReadable(path);
      return handle;
    } catch (error) {
      await handle.close();
      throw toToolError(error, path);
    }
  }

  #contains(real: string): boolean {
    const below = relative(this.folder, real);
    return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  }
}

const outside = (path: string): TerminalToolError =>
  new TerminalToolError('SECURITY_VIOLATION', `The path "${path}" leads outside the project folder.`);

const linkTarget = (path: string): Promise<string | undefined> => readlink(path).catch(() => undefined);
