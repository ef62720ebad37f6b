import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import {
  type Contained,
  kernelKnowsPaths,
  locateContained,
  openContained,
  pathInside,
} from '../files/open-contained.js';
import { type FileText, readText } from '../files/read-text.js';
import { type WalkedEntry, type WalkOptions, walkFolder } from '../files/walk-folder.js';
import { ToolError } from '../sdk/actions/tool-errors.js';
import { notReadable, toToolError } from './system-failure.js';

/** In bytes. What is larger is not source code, and a sparse file can claim any size. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/**
 * The one folder that tools may touch. Every path is judged by where it really leads, and what was opened is
 * judged once more, so that swapping a link between check and open gains nothing (rule: containment). What goes
 * wrong is an error that the model can read: a path outside the root a `SecurityViolation`, of which
 * the third ends a run, missing and forbidden the same `ToolError`.
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
    const handle = await open(real, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    await handle.close();
    return new ProjectRoot(real);
  }

  /** The path as a person writes it: relative to the root, with `/`; `.` for the root. */
  name(realPath: string): string {
    return pathInside(this.folder, realPath);
  }

  /** Where the path really leads; it need not exist yet. */
  async locate(path: string): Promise<string> {
    checkSpelling(path);
    return translated(path, locateContained(this.folder, path));
  }

  /** The text of a file. Throws `ToolError` for binary and for huge files. */
  async readText(path: string): Promise<FileText> {
    const text = await this.readIfText(path);
    if (!text) throw new ToolError(`"${path}" is a binary file.`);
    return text;
  }

  /** The text of a file, or undefined if it is binary. Throws `ToolError` for huge files. */
  async readIfText(path: string): Promise<FileText | undefined> {
    return this.#withOpened(path, 'file', async (file) => {
      if (file.size > MAX_FILE_BYTES)
        throw new ToolError(`"${path}" is too large to read: ${file.size} bytes.`);
      return readText(file, MAX_FILE_BYTES);
    });
  }

  /**
   * A path to the folder that cannot be swapped while `use` works in it: through its open descriptor where the
   * system has such paths (Linux), else its real path.
   */
  async useFolder<Result>(path: string, use: (pinned: string) => Promise<Result>): Promise<Result> {
    return this.#withOpened(path, 'folder', async ({ handle, path: inside }) =>
      use(kernelKnowsPaths ? `/proc/self/fd/${handle.fd}` : `${this.folder}/${inside}`),
    );
  }

  /** What lies there, or undefined for what cannot be read or is forbidden. */
  async kindOf(path: string): Promise<Contained['kind'] | undefined> {
    checkSpelling(path);
    const opened = await openContained(this.folder, path).catch(() => undefined);
    await opened?.handle.close();
    return opened?.kind;
  }

  /** Everything below a folder, as `walkFolder` tells it. */
  async *walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry> {
    const folder = this.name(await this.locate(path));
    try {
      yield* walkFolder(this.folder, folder, options);
    } catch (error) {
      options.signal.throwIfAborted();
      throw toToolError(error, path);
    }
  }

  async #withOpened<Result>(
    path: string,
    kind: Contained['kind'],
    use: (opened: Contained) => Promise<Result>,
  ): Promise<Result> {
    checkSpelling(path);
    const opened = await translated(path, openContained(this.folder, path));
    try {
      if (opened.kind !== kind) throw notReadable(path);
      return await use(opened);
    } catch (error) {
      throw toToolError(error, path);
    } finally {
      await opened.handle.close();
    }
  }
}

/** A hint where the spelling alone is wrong. */
function checkSpelling(path: string): void {
  if (path.includes('\0')) throw new ToolError('A path cannot contain a NUL character.');
  if (path.includes('\\')) throw new ToolError('Use "/" between the parts of a path.');
}

async function translated<Value>(path: string, found: Promise<Value>): Promise<Value> {
  return found.catch((error) => {
    throw toToolError(error, path);
  });
}
