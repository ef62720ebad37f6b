import { rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path/posix';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { currentText, type Folder } from '../../tools/folder/folder.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { renderChange } from '../../tools/write/unified-diff.js';

/** Text of a file before and after the task. Undefined if the file did not exist. */
interface Change {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Files and folders that one task changed. */
interface TaskChanges {
  /** Changes by path in the folder. */
  readonly files: Map<string, Change>;
  /** Folders that the task created. */
  readonly folders: Set<string>;
}

/** Outcome of an undo for a file, or for a folder (`src/`) that the task created. */
export interface PutBack {
  readonly path: string;
  readonly outcome:
    | 'put back'
    | 'removed'
    | 'changed since, left as it is'
    | `could not be restored: ${string}`;
}

const writingTools: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/** Explains why there is nothing to show or to undo. */
export const NOTHING_CHANGED =
  'No task changed a file by edit_file or write_file. Changes made by commands are not tracked.';

/** Describes what an undo did, for the person. */
export const describePutBack = (files: readonly PutBack[]): string =>
  files.map(({ path, outcome }) => `  ${path}: ${outcome}`).join('\n');

/** Returns a notice that describes an undo to the model. */
export const putBackNotice = (files: readonly PutBack[]): string =>
  `The user took back your changes to files:\n${describePutBack(files)}`;

/** Records which files the tools changed in each task, to show and undo the changes. */
export class ChangedFiles {
  readonly #root: Pick<ProjectRoot, 'useFolder'>;
  readonly #folder: Folder;
  /** Tasks, newest last. `beginTask` reuses the last one if it changed nothing. */
  readonly #tasks: TaskChanges[] = [];

  /** `folder` is the folder through which the tools read and write files, by default the one on disk. */
  constructor(root: ProjectRoot, folder: Folder = root) {
    this.#root = root;
    this.#folder = folder;
  }

  /** Returns the tools, with the writing ones wrapped to record their changes. */
  watch(tools: readonly Tool[]): readonly Tool[] {
    return tools.map((tool) => (writingTools.has(tool.name) ? this.#watched(tool) : tool));
  }

  /** Starts a new task, to which later changes belong. */
  beginTask(): void {
    if (this.#tasks.at(-1)?.files.size !== 0) this.#tasks.push({ files: new Map(), folders: new Set() });
  }

  /** Returns unified diffs of the last task that changed files, or an empty text. */
  async diff(): Promise<string> {
    const changes = [...(this.#last()?.files ?? [])].filter(([, { before, after }]) => before !== after);
    const diffs = changes.map(([path, { before, after = '' }]) => renderChange({ path, before, after }));
    return (await Promise.all(diffs)).join('\n');
  }

  /**
   * Undoes the last task that changed files. Restores its files, except those that have changed since or cannot be
   * written, and removes folders that it created if they are empty. Returns an empty list if no task changed files.
   */
  async undo(): Promise<readonly PutBack[]> {
    const { files, folders } = this.#last() ?? {
      files: new Map<string, Change>(),
      folders: new Set<string>(),
    };
    const done: PutBack[] = [];
    for (const [path, change] of files) done.push({ path, outcome: await this.#tryPutBack(path, change) });
    for (const { path, outcome } of done)
      if (outcome === 'put back' || outcome === 'removed') files.delete(path);
    for (const path of [...folders].sort((a, b) => b.length - a.length)) {
      if (!(await this.#removeIfEmpty(path))) continue;
      folders.delete(path);
      done.push({ path: `${path}/`, outcome: 'removed' });
    }
    return done;
  }

  #last(): TaskChanges | undefined {
    return this.#tasks.findLast(({ files }) => files.size > 0);
  }

  #watched(tool: Tool): Tool {
    return {
      ...tool,
      execute: async (args, context) => {
        const path = await this.#folder.nameOf(String(args['path'])).catch(() => undefined);
        if (path === undefined) return tool.execute(args, context);
        const [before, missing] = [await this.#textOf(path), await this.#missingFolders(path)];
        const result = await tool.execute(args, context);
        this.#note(path, { change: { before, after: await this.#textOf(path) }, missing });
        return result;
      },
    };
  }

  #note(path: string, { change, missing }: { change: Change; missing: readonly string[] }): void {
    if (this.#tasks.length === 0) this.beginTask();
    const task = this.#tasks.at(-1);
    const earlier = task?.files.get(path);
    task?.files.set(path, { before: earlier ? earlier.before : change.before, after: change.after });
    for (const folder of missing) task?.folders.add(folder);
  }

  /** Returns the parent folders of a path that do not exist yet. */
  async #missingFolders(path: string): Promise<readonly string[]> {
    const missing: string[] = [];
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if ((await this.#folder.kindOf(folder)) !== undefined) break;
      missing.push(folder);
    }
    return missing;
  }

  /** Removes an empty folder. Returns false if it has entries or does not exist. */
  async #removeIfEmpty(path: string): Promise<boolean> {
    const removed = this.#root.useFolder(dirname(path), (pinned) => rmdir(`${pinned}/${basename(path)}`));
    return removed.then(
      () => true,
      () => false,
    );
  }

  async #tryPutBack(path: string, change: Change): Promise<PutBack['outcome']> {
    return this.#putBack(path, change).catch(
      (error: unknown) => `could not be restored: ${error instanceof Error ? error.message : error}` as const,
    );
  }

  async #putBack(path: string, { before, after }: Change): Promise<PutBack['outcome']> {
    if ((await this.#textOf(path)) !== after) return 'changed since, left as it is';
    if (before === undefined) {
      await this.#root.useFolder(dirname(path), (pinned) => unlink(`${pinned}/${basename(path)}`));
      return 'removed';
    }
    await this.#folder.write(path, { text: before, expected: after });
    return 'put back';
  }

  /** Returns the text of a file; undefined if the file does not exist or is not text. */
  async #textOf(path: string): Promise<string | undefined> {
    return currentText(this.#folder, path).catch(() => undefined);
  }
}
