import * as vscode from 'vscode';

/** Storage for one value. */
export interface KeptValue {
  read(): Promise<unknown>;
  /** Writes the value; null deletes it. */
  write(value: unknown): Promise<void>;
}

/** Storage locations that the editor offers for a workspace. */
export type Places = Pick<vscode.ExtensionContext, 'storageUri' | 'workspaceState'>;

/**
 * Returns the storage for a value of this workspace. Prefers files: the editor persists `workspaceState` with a delay
 * that a page reload does not await. A window without a folder has only `workspaceState`.
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
 * Stores a value in two files, written alternately, so that an interrupted write leaves the previous file intact. A
 * write is durable once the editor reports it.
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

/** Reads one of the two files. A missing or incomplete file is treated as the oldest. */
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
