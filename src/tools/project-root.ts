import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { diskTree } from '../files/disk/disk-tree.js';
import {
  type Contained,
  kernelKnowsPaths,
  locateContained,
  openContained,
  pathInside,
  systemCode,
} from '../files/disk/open-contained.js';
import { readText as readOpened } from '../files/disk/read-text.js';
import type { FileText } from '../files/file-text.js';
import { type WalkedEntry, type WalkOptions, walkFolder } from '../files/walk-folder.js';
import { type Folder, MAX_FILE_BYTES, readText, type TextChange } from './folder/folder.js';
import {
  changedMeanwhile,
  checkSize,
  checkSpelling,
  isFolder,
  notReadable,
  toToolError,
  translated,
} from './folder/path-errors.js';
import { writeText } from './write-text.js';

/**
 * A folder on disk. Checks the real path of every file before opening it, and checks the opened file again, so
 * that an attacker who replaces the file by a symbolic link in between gains nothing (rule: containment).
 */
export class ProjectRoot implements Folder {
  /** Real path of the folder. */
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Opens a folder. Its own path may be a symbolic link. Throws if the folder does not exist. */
  static async open(folder: string): Promise<ProjectRoot> {
    const real = await realpath(folder);
    const handle = await open(real, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0));
    await handle.close();
    return new ProjectRoot(real);
  }

  /** Converts a real path to a path relative to the root, with `/`; the root is `.`. */
  name(realPath: string): string {
    return pathInside(this.folder, realPath);
  }

  async nameOf(path: string): Promise<string> {
    return this.name(await this.locate(path));
  }

  /** Returns the real path of a path in the folder. The file need not exist yet. */
  async locate(path: string): Promise<string> {
    checkSpelling(path);
    return translated(path, locateContained(this.folder, path));
  }

  async exists(path: string): Promise<boolean> {
    const real = await this.locate(path);
    return stat(real).then(
      () => true,
      (error) => {
        if (systemCode(error) === 'ENOENT') return false;
        throw toToolError(error, path);
      },
    );
  }

  /** Reads a text file. Throws `ToolError` if the file is binary or has more than `maxBytes`. */
  async readText(path: string, maxBytes = MAX_FILE_BYTES): Promise<FileText> {
    return readText({ readIfText: (each) => this.readIfText(each, maxBytes) }, path);
  }

  /** Reads the bytes of a file. Throws `ToolError` if the file is too large. */
  async readBytes(path: string): Promise<Buffer> {
    return this.#withOpened(path, 'file', async ({ handle, size }) => {
      checkSize(path, size);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(size), 0, size, 0);
      return buffer.subarray(0, bytesRead);
    });
  }

  async readIfText(path: string, maxBytes = MAX_FILE_BYTES): Promise<FileText | undefined> {
    return this.#withOpened(path, 'file', async (file) => {
      checkSize(path, file.size, maxBytes);
      return readOpened(file, maxBytes);
    });
  }

  /**
   * Calls `use` with a path to the folder. On Linux, the path goes through an open file descriptor, so nobody can
   * replace the folder by a link meanwhile; on other systems it is the real path. Throws `ToolError` if the path
   * `place`, which `nameOf` returned, now leads to another folder.
   */
  async useFolder<Result>(place: string, use: (pinned: string) => Promise<Result>): Promise<Result> {
    return this.#withOpened(place, 'folder', async ({ handle, path }) => {
      if (path !== place) throw changedMeanwhile(place);
      return use(kernelKnowsPaths ? `/proc/self/fd/${handle.fd}` : `${this.folder}/${path}`);
    });
  }

  async kindOf(path: string): Promise<'file' | 'folder' | undefined> {
    checkSpelling(path);
    const opened = await openContained(this.folder, path).catch(() => undefined);
    await opened?.handle.close();
    return opened?.kind;
  }

  async *walk(path: string, options: WalkOptions): AsyncGenerator<WalkedEntry> {
    const folder = await this.nameOf(path);
    try {
      yield* walkFolder(diskTree(this.folder), folder, options);
    } catch (error) {
      options.signal.throwIfAborted();
      throw toToolError(error, path);
    }
  }

  async write(path: string, change: TextChange): Promise<void> {
    await writeText(this, path, change);
  }

  async #withOpened<Result>(
    path: string,
    kind: Contained['kind'],
    use: (opened: Contained) => Promise<Result>,
  ): Promise<Result> {
    checkSpelling(path);
    const opened = await translated(path, openContained(this.folder, path));
    try {
      if (opened.kind !== kind) throw kind === 'file' ? isFolder(path) : notReadable(path);
      return await use(opened);
    } catch (error) {
      throw toToolError(error, path);
    } finally {
      await opened.handle.close();
    }
  }
}
