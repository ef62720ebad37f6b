import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ApprovalRule, isSameRule } from '../../sdk/actions/approval.js';
import { configFolder, writeWhole } from '../state/user-files.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** What a person allowed for good, by project folder; kept in the person's own configuration, not the project's. */
export class ApprovalRules {
  readonly #file: string;
  readonly #folder: string;

  /** `folder` is the real path of the project. */
  constructor(folder: string, file = join(configFolder(), 'approvals.json')) {
    this.#file = file;
    this.#folder = folder;
  }

  /** The rules of this folder, oldest first. What is damaged, of a former version or not there allows nothing. */
  async load(): Promise<readonly ApprovalRule[]> {
    return this.#rulesIn(await this.#read().catch(() => ({})));
  }

  /** Keeps a rule. Throws if the file is damaged: writing it anew would take back the rules of other folders. */
  async add(rule: ApprovalRule): Promise<void> {
    await this.#change((rules) => (rules.some((each) => isSameRule(each, rule)) ? rules : [...rules, rule]));
  }

  /** Takes a rule back. Throws if the file is damaged. */
  async remove(rule: ApprovalRule): Promise<void> {
    await this.#change((rules) => rules.filter((each) => !isSameRule(each, rule)));
  }

  async #change(change: (rules: readonly ApprovalRule[]) => readonly ApprovalRule[]): Promise<void> {
    const all = await this.#read();
    const rules = change(this.#rulesIn(all));
    await writeWhole(this.#file, `${JSON.stringify({ ...all, [this.#folder]: rules }, null, 2)}\n`);
  }

  #rulesIn(all: JsonObject): readonly ApprovalRule[] {
    const rules = Object.hasOwn(all, this.#folder) ? all[this.#folder] : undefined;
    return Array.isArray(rules) ? rules.filter(isRule) : [];
  }

  /** The whole file; empty if there is none yet. */
  async #read(): Promise<JsonObject> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) throw new TypeError(`${this.#file} does not hold rules; mend or remove it.`);
    return value;
  }
}

function isRule(value: unknown): value is ApprovalRule {
  if (!isObject(value) || typeof value['tool'] !== 'string') return false;
  if (value['type'] === 'reads') return true;
  if (value['type'] === 'call') return isObject(value['args']);
  return value['type'] === 'commands' && typeof value['entry'] === 'string' && isObject(value['others']);
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
