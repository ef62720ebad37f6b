import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../conversation/is-object.js';
import type { McpTool, McpVerdict } from '../../mcp/mcp-tool.js';
import { configFolder, writeAtomically } from '../state/user-files.js';
import type { ConfiguredServer } from './configured-servers.js';

/** A person's consent to start a server, and the verdict on each of its tools as described at that time. */
interface Agreement {
  readonly server: string;
  /** Verdicts by tool fingerprint. */
  readonly tools: Readonly<Record<string, McpVerdict>>;
}

type Agreements = Readonly<Record<string, Readonly<Record<string, Agreement>>>>;

/**
 * A person's consent by project folder and server, stored in the user configuration rather than in the project. The
 * file contains only fingerprints, no secrets or texts of servers. A damaged file counts as no consent.
 */
export class McpAgreements {
  readonly #file: string;
  readonly #folder: string;

  /** `folder` is the real path of the project. */
  constructor(folder: string, file = join(configFolder(), 'mcp.json')) {
    this.#folder = folder;
    this.#file = file;
  }

  /** Returns true if the person agreed to start exactly this server. */
  async isAgreed(server: ConfiguredServer): Promise<boolean> {
    return (await this.#of(server)) !== undefined;
  }

  /**
   * Returns the verdict on the tool as it is described now, or undefined if the person has not seen this description.
   */
  async verdictOn(server: ConfiguredServer, { fingerprint }: McpTool): Promise<McpVerdict | undefined> {
    const { tools = {} } = (await this.#of(server)) ?? {};
    const verdict = Object.hasOwn(tools, fingerprint) ? tools[fingerprint] : undefined;
    return verdicts.find((each) => each === verdict);
  }

  /** Stores consent to start the server. Throws if the file cannot be written. */
  async agree(server: ConfiguredServer): Promise<void> {
    await this.#keep(server, { server: server.fingerprint, tools: {} });
  }

  /**
   * Stores the verdict on tools of a server; does nothing if the person has not agreed to start the server. Throws if
   * the file cannot be written.
   */
  async decide(server: ConfiguredServer, tools: readonly McpTool[], verdict: McpVerdict): Promise<void> {
    const agreement = await this.#of(server);
    if (!agreement) return;
    const decided = tools.map(({ fingerprint }) => [fingerprint, verdict] as const);
    await this.#keep(server, { ...agreement, tools: { ...agreement.tools, ...Object.fromEntries(decided) } });
  }

  /** Deletes the consent to servers of this name. Returns false if there was none. */
  async forget(name: string): Promise<boolean> {
    const all = await this.#load();
    const { [name]: forgotten, ...others } = ownOf(all, this.#folder) ?? {};
    if (forgotten) await this.#write({ ...all, [this.#folder]: others });
    return forgotten !== undefined;
  }

  async #of({ name, fingerprint }: ConfiguredServer): Promise<Agreement | undefined> {
    const servers = ownOf(await this.#load(), this.#folder);
    const agreement = servers && ownOf(servers, name);
    return agreement?.server === fingerprint ? agreement : undefined;
  }

  async #keep({ name }: ConfiguredServer, agreement: Agreement): Promise<void> {
    const all = await this.#load();
    const servers = { ...ownOf(all, this.#folder), [name]: agreement };
    await this.#write({ ...all, [this.#folder]: servers });
  }

  async #write(all: Agreements): Promise<void> {
    await writeAtomically(this.#file, `${JSON.stringify(all, null, 2)}\n`);
  }

  /** Reads the file at each use, because a session in another terminal can change it. */
  async #load(): Promise<Agreements> {
    return readFile(this.#file, 'utf8')
      .then(readAgreements)
      .catch(() => ({}));
  }
}

const verdicts: readonly McpVerdict[] = ['ask', 'trust', 'leave-out'];

function readAgreements(text: string): Agreements {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? Object.fromEntries(Object.entries(value).flatMap(readFolder)) : {};
}

function readFolder([folder, servers]: [string, unknown]): [string, Readonly<Record<string, Agreement>>][] {
  if (!isObject(servers)) return [];
  return [[folder, Object.fromEntries(Object.entries(servers).filter(isEntry))]];
}

const isEntry = (entry: [string, unknown]): entry is [string, Agreement] =>
  isObject(entry[1]) && typeof entry[1]['server'] === 'string' && isObject(entry[1]['tools']);

/** Reads an own property only, because a folder or server may be called `constructor`. */
const ownOf = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
