import { readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { RecordedStep } from '../../contract/recorded-step.js';
import { systemCode } from '../../files/disk/open-contained.js';
import { replaceFile } from '../../files/disk/replace-file.js';

/**
 * Beginning and end of each file. Each line between them is one step, so that a step is added without parsing the
 * file.
 */
const HEAD = '{"format":"stepwise-run","version":1,"recorded_steps":[\n';
const TAIL = '\n]}\n';

const MIB = 1_048_576;
/** Maximum size of one run, whose file is written again with each step. */
const MAX_RUN_BYTES = 64 * MIB;
/** Maximum number of characters that wait for a slow disk; steps beyond it are not recorded. */
const MAX_WAITING_CHARS = 64 * MIB;
/** Age after which a temporary file is deleted, because the process that wrote it must have been killed. */
const MAX_TEMPORARY_AGE_MS = 60_000;

const runFile = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.json$/;
const temporaryFile = /^[\da-f-]{36}\.json\.[\da-f-]+\.tmp$/;

interface RunFilesOptions {
  readonly folder: string;
  /** Maximum size of all runs together. */
  readonly maxBytes: number;
  readonly log: Logger;
}

/**
 * Records steps in one file for each session, as a saved run (rule: recorded-steps). Steps never wait for the disk, and a
 * failure to write is logged and changes nothing else.
 */
export class RunFiles {
  readonly #options: RunFilesOptions;
  /** Sizes of the files in bytes, by name; the least recently changed file comes first. */
  readonly #sizes = new Map<string, number>();
  #last: Promise<void>;
  #waitingChars = 0;
  #isFailing = false;

  constructor(options: RunFilesOptions) {
    this.#options = options;
    this.#last = this.#open().catch((error: unknown) => this.#fail(error));
  }

  readonly record = (step: RecordedStep): void => {
    const line = JSON.stringify(step);
    if (this.#waitingChars + line.length > MAX_WAITING_CHARS) {
      this.#fail(new Error('the disk is too slow for the number of steps'));
      return;
    }
    this.#waitingChars += line.length;
    this.#last = this.#last
      .then(() => this.#append(`${step.request.session_id.toLowerCase()}.json`, line))
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#waitingChars -= line.length;
      });
  };

  /** Resolves once every step is written. */
  close(): Promise<void> {
    return this.#last;
  }

  /** Reads the sizes of the files that are there, and deletes temporary files of processes that were killed. */
  async #open(): Promise<void> {
    const { folder } = this.#options;
    const found: { name: string; size: number; changed: number }[] = [];
    for (const name of await readdir(folder)) {
      const isTemporary = temporaryFile.test(name);
      if (!isTemporary && !runFile.test(name)) continue;
      const state = await stat(join(folder, name)).catch(() => undefined);
      if (!state) continue;
      if (!isTemporary) found.push({ name, size: state.size, changed: state.mtimeMs });
      else if (Date.now() - state.mtimeMs > MAX_TEMPORARY_AGE_MS)
        await rm(join(folder, name), { force: true });
    }
    found.sort((one, other) => one.changed - other.changed);
    for (const { name, size } of found) this.#sizes.set(name, size);
  }

  async #append(name: string, line: string): Promise<void> {
    const { folder, maxBytes } = this.#options;
    const before = await this.#stepsIn(join(folder, name));
    const parts = before ? [before, Buffer.from(',\n')] : [Buffer.from(HEAD)];
    const content = Buffer.concat([...parts, Buffer.from(line), Buffer.from(TAIL)]);
    if (content.length > Math.min(MAX_RUN_BYTES, maxBytes))
      throw new Error(`the run ${name} would be larger than its maximum size`);
    await this.#makeRoom(name, content.length);
    await replaceFile(join(folder, name), content);
    this.#sizes.delete(name);
    this.#sizes.set(name, content.length);
    this.#isFailing = false;
  }

  /**
   * Returns a file's content without `TAIL`; undefined if the file does not exist. If the content does not begin and
   * end as this class writes it, renames the file and returns undefined.
   */
  async #stepsIn(file: string): Promise<Buffer | undefined> {
    const content = await readFile(file).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (!content) return undefined;
    const end = content.length - TAIL.length;
    const isWhole =
      content.subarray(0, HEAD.length).equals(Buffer.from(HEAD)) &&
      content.subarray(end).equals(Buffer.from(TAIL));
    if (isWhole) return content.subarray(0, end);
    await rename(file, `${file}.unreadable`);
    return undefined;
  }

  /** Deletes the least recently changed runs until a file of the given size fits into `maxBytes`. */
  async #makeRoom(name: string, size: number): Promise<void> {
    const others = () => [...this.#sizes].filter(([other]) => other !== name);
    const total = () => others().reduce((sum, [, bytes]) => sum + bytes, size);
    while (total() > this.#options.maxBytes) {
      const [oldest] = others();
      if (!oldest) return;
      await rm(join(this.#options.folder, oldest[0]), { force: true });
      this.#sizes.delete(oldest[0]);
    }
  }

  /** Logs the first of several consecutive failures. */
  #fail(error: unknown): void {
    if (this.#isFailing) return;
    this.#isFailing = true;
    const reason = systemCode(error) || (error instanceof Error ? error.message : String(error));
    this.#options.log.warn(
      { reason },
      'steps cannot be recorded in RECORD_DIR; the steps themselves are not affected',
    );
  }
}
