import * as vscode from 'vscode';

/** Where one value is kept. */
export interface KeptValue {
  read(): Promise<unknown>;
  /** Null leaves nothing of what was there before. */
  write(value: unknown): Promise<void>;
}

/** The places where an extension keeps what belongs to a workspace. */
export type Places = Pick<vscode.ExtensionContext, 'storageUri' | 'workspaceState'>;

/**
 * A place of the extension's own for a value of this workspace. The editor's state for extensions is written a moment after
 * it says so, and a page that is reloaded does not wait for that; a window without a folder has nothing else.
 */
export function keptValue({ storageUri, workspaceState }: Places, name: string): KeptValue {
  if (storageUri) return new KeptFiles(storageUri, name);
  const key = `stepwise.${name}`;
  return {
    read: async () => workspaceState.get(key),
    write: async (value) => workspaceState.update(key, value ?? undefined),
  };
}

interface Numbered {
  readonly number: number;
  readonly value: unknown;
}

/**
 * A value in two files, written by turns: whatever interrupts a write, the file before it is whole. What is written is on
 * disk, or in the browser's data base, when the editor says so.
 */
class KeptFiles implements KeptValue {
  readonly #files: readonly vscode.Uri[];
  #number: Promise<number> | undefined;

  constructor(folder: vscode.Uri, name: string) {
    this.#files = [0, 1].map((turn) => vscode.Uri.joinPath(folder, `${name}-${turn}.json`));
  }

  async read(): Promise<unknown> {
    return (await this.#newest()).value;
  }

  async write(value: unknown): Promise<void> {
    this.#number ??= this.#newest().then(({ number }) => number);
    const number = (await this.#number) + 1;
    this.#number = Promise.resolve(number);
    const bytes = new TextEncoder().encode(JSON.stringify({ number, value } satisfies Numbered));
    const files = value === null ? this.#files : this.#files.filter((_, index) => index === number % 2);
    for (const file of files) await vscode.workspace.fs.writeFile(file, bytes);
  }

  async #newest(): Promise<Numbered> {
    const found = await Promise.all(this.#files.map(readNumbered));
    return found.reduce((newest, each) => (each.number > newest.number ? each : newest));
  }
}

/** What is not there, or was not written to its end, is older than anything. */
async function readNumbered(file: vscode.Uri): Promise<Numbered> {
  try {
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
    const { number, value }: Partial<Numbered> = Object(JSON.parse(text));
    return Number.isSafeInteger(number) ? { number: number ?? 0, value } : never;
  } catch {
    return never;
  }
}

const never: Numbered = { number: 0, value: null };
