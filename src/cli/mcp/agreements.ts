import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { McpTool, McpVerdict } from '../../mcp/mcp-tool.js';
import { configFolder, writeWhole } from '../state/user-files.js';
import type { ConfiguredServer } from './configured-servers.js';

/** What a person decided on a server: to start it, and on each of its tools as it was described. */
interface Agreement {
  readonly server: string;
  /** By the fingerprints of tools. */
  readonly tools: Readonly<Record<string, McpVerdict>>;
}

type Agreements = Readonly<Record<string, Readonly<Record<string, Agreement>>>>;

/**
 * What a person agreed to, by project folder and server; kept in the person's own configuration, not the project's. There are
 * fingerprints in it and no words: neither secrets of servers nor what they say. What is damaged or of another shape agrees to nothing.
 */
export class McpAgreements {
  readonly #file: string;
  readonly #folder: string;
  #all: Agreements | undefined;

  /** `folder` is the real path of the project. */
  constructor(folder: string, file = join(configFolder(), 'mcp.json')) {
    this.#folder = folder;
    this.#file = file;
  }

  /** True if the person agreed to start this very server. */
  async isAgreed(server: ConfiguredServer): Promise<boolean> {
    return (await this.#of(server)) !== undefined;
  }

  /** What was decided on the tool as it is described; undefined where nobody has seen it so. */
  async verdictOn(server: ConfiguredServer, { fingerprint }: McpTool): Promise<McpVerdict | undefined> {
    const { tools = {} } = (await this.#of(server)) ?? {};
    const verdict = Object.hasOwn(tools, fingerprint) ? tools[fingerprint] : undefined;
    return verdicts.find((each) => each === verdict);
  }

  /** Keeps that the server may be started. Throws if it cannot be written. */
  async agree(server: ConfiguredServer): Promise<void> {
    await this.#keep(server, { server: server.fingerprint, tools: {} });
  }

  /** Keeps what was decided on tools of a server that may be started. Throws if it cannot be written. */
  async decide(server: ConfiguredServer, tools: readonly McpTool[], verdict: McpVerdict): Promise<void> {
    const agreement = await this.#of(server);
    if (!agreement) return;
    const decided = tools.map(({ fingerprint }) => [fingerprint, verdict] as const);
    await this.#keep(server, { ...agreement, tools: { ...agreement.tools, ...Object.fromEntries(decided) } });
  }

  /** Takes back all that was decided on servers of this name. False if there is nothing. */
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
    this.#all = all;
    await writeWhole(this.#file, `${JSON.stringify(all, null, 2)}\n`);
  }

  async #load(): Promise<Agreements> {
    this.#all ??= await readFile(this.#file, 'utf8')
      .then(readAgreements)
      .catch(() => ({}));
    return this.#all;
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

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A folder may be called like what every object has. */
const ownOf = <Value>(values: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(values, name) ? values[name] : undefined;
