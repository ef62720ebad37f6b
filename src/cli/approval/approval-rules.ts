import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../conversation/is-object.js';
import { type ApprovalRule, isSameRule } from '../../sdk/actions/approval.js';
import { configFolder, writeAtomically } from '../state/user-files.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** The always-allow rules of each project folder, stored in the person's own configuration and not in the project. */
export class ApprovalRules {
  readonly #file: string;
  readonly #folder: string;

  /** `folder` is the real path of the project. */
  constructor(folder: string, file = join(configFolder(), 'approvals.json')) {
    this.#file = file;
    this.#folder = folder;
  }

  /**
   * Returns the rules of this folder, oldest first. A missing or damaged file, or a rule of an older version, allows
   * nothing.
   */
  async load(): Promise<readonly ApprovalRule[]> {
    return this.#rulesIn(await this.#read().catch(() => ({})));
  }

  /** Saves a rule. Throws if the file is damaged, since rewriting it would delete the rules of other folders. */
  async add(rule: ApprovalRule): Promise<void> {
    await this.#change((rules) => (rules.some((each) => isSameRule(each, rule)) ? rules : [...rules, rule]));
  }

  /** Removes a rule. Throws if the file is damaged. */
  async remove(rule: ApprovalRule): Promise<void> {
    await this.#change((rules) => rules.filter((each) => !isSameRule(each, rule)));
  }

  async #change(change: (rules: readonly ApprovalRule[]) => readonly ApprovalRule[]): Promise<void> {
    const all = await this.#read();
    const rules = change(this.#rulesIn(all));
    await writeAtomically(this.#file, `${JSON.stringify({ ...all, [this.#folder]: rules }, null, 2)}\n`);
  }

  #rulesIn(all: JsonObject): readonly ApprovalRule[] {
    const rules = Object.hasOwn(all, this.#folder) ? all[this.#folder] : undefined;
    return Array.isArray(rules) ? rules.filter(isRule) : [];
  }

  /** Reads the whole file; empty if it does not exist. */
  async #read(): Promise<JsonObject> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '{}';
      throw error;
    });
    const value: unknown = JSON.parse(text);
    if (!isObject(value))
      throw new TypeError(`${this.#file} does not contain approval rules. Correct or delete it.`);
    return value;
  }
}

function isRule(value: unknown): value is ApprovalRule {
  if (!isObject(value) || typeof value['tool'] !== 'string') return false;
  if (value['type'] === 'reads') return true;
  if (value['type'] === 'call') return isObject(value['args']);
  return value['type'] === 'commands' && typeof value['entry'] === 'string' && isObject(value['others']);
}
