import { rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path/posix';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { currentText } from '../../tools/folder/folder.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { renderChange } from '../../tools/write/unified-diff.js';

/** A file as it was before the task and after it. */
interface Change {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** What one task did. */
interface TaskChanges {
  /** By the file's name in the folder. */
  readonly files: Map<string, Change>;
  /** That were not there before. */
  readonly folders: Set<string>;
}

/** What became of a file that was to be put back, or of a folder (`src/`) that was made for one. */
export interface PutBack {
  readonly path: string;
  readonly outcome: 'put back' | 'removed' | 'changed since, left as it is';
}

const writingTools: ReadonlySet<string> = new Set(['edit_file', 'write_file']);

/** The files that each task changed by its tools, so that they can be shown and put back. */
export class ChangedFiles {
  readonly #root: ProjectRoot;
  /** Newest last; those that changed nothing are left out when the next begins. */
  readonly #tasks: TaskChanges[] = [];

  constructor(root: ProjectRoot) {
    this.#root = root;
  }

  /** The same tools, of which those that write are watched. */
  watch(tools: readonly Tool[]): readonly Tool[] {
    return tools.map((tool) => (writingTools.has(tool.name) ? this.#watched(tool) : tool));
  }

  /** What changes from now on belongs to another task. */
  beginTask(): void {
    if (this.#tasks.at(-1)?.files.size !== 0) this.#tasks.push({ files: new Map(), folders: new Set() });
  }

  /** What the last task that changed something did, as unified diffs; empty where there is none. */
  async diff(): Promise<string> {
    const changes = [...(this.#last()?.files ?? [])].filter(([, { before, after }]) => before !== after);
    const diffs = changes.map(([path, { before, after = '' }]) => renderChange({ path, before, after }));
    return (await Promise.all(diffs)).join('\n');
  }

  /**
   * Puts back what that task changed, but for files that somebody else changed since, and removes the folders that it made if
   * nothing is left in them; none where there is none.
   */
  async undo(): Promise<readonly PutBack[]> {
    const { files, folders } = this.#last() ?? {
      files: new Map<string, Change>(),
      folders: new Set<string>(),
    };
    const done: PutBack[] = [];
    for (const [path, change] of files) done.push({ path, outcome: await this.#putBack(path, change) });
    for (const { path, outcome } of done) if (!outcome.startsWith('changed')) files.delete(path);
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
        const path = await this.#root.nameOf(String(args['path'])).catch(() => undefined);
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

  /** Those above a file that are not there yet. */
  async #missingFolders(path: string): Promise<readonly string[]> {
    const missing: string[] = [];
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      if ((await this.#root.kindOf(folder)) !== undefined) break;
      missing.push(folder);
    }
    return missing;
  }

  /** False for a folder in which something is, or that is gone. */
  async #removeIfEmpty(path: string): Promise<boolean> {
    const removed = this.#root.useFolder(dirname(path), (pinned) => rmdir(`${pinned}/${basename(path)}`));
    return removed.then(
      () => true,
      () => false,
    );
  }

  async #putBack(path: string, { before, after }: Change): Promise<PutBack['outcome']> {
    if ((await this.#textOf(path)) !== after) return 'changed since, left as it is';
    if (before === undefined) {
      await this.#root.useFolder(dirname(path), (pinned) => unlink(`${pinned}/${basename(path)}`));
      return 'removed';
    }
    await this.#root.write(path, { text: before, expected: after });
    return 'put back';
  }

  /** Undefined for what is not there or cannot be read as text: that was not written by a tool either. */
  async #textOf(path: string): Promise<string | undefined> {
    return currentText(this.#root, path).catch(() => undefined);
  }
}
