import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApprovalRule } from '../../sdk/actions/approval.js';
import { configFolder, writeWhole } from '../session/user-files.js';

/** What a person allowed for good, by project folder; kept in the person's own configuration, not the project's. */
type RulesByFolder = Readonly<Record<string, readonly ApprovalRule[]>>;

export class ApprovalRules {
  readonly #file: string;
  readonly #folder: string;

  constructor(folder: string, file = join(configFolder(), 'approvals.json')) {
    this.#file = file;
    this.#folder = folder;
  }

  /** What is damaged or not there allows nothing; nor does a rule of a former version, which has no type. */
  async load(): Promise<readonly ApprovalRule[]> {
    const all = await this.#read();
    const rules = Object.hasOwn(all, this.#folder) ? (all[this.#folder] ?? []) : [];
    return rules.filter(({ type }) => type !== undefined);
  }

  async add(rule: ApprovalRule): Promise<void> {
    const known = await this.load();
    const all = { ...(await this.#read()), [this.#folder]: [...known, rule] };
    await writeWhole(this.#file, `${JSON.stringify(all, null, 2)}\n`);
  }

  async #read(): Promise<RulesByFolder> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'));
      return isRules(value) ? value : {};
    } catch {
      return {};
    }
  }
}

function isRules(value: unknown): value is RulesByFolder {
  return (
    isObject(value) && Object.values(value).every((rules) => Array.isArray(rules) && rules.every(isRule))
  );
}

const isRule = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['tool'] === 'string' &&
  ['string', 'undefined'].includes(typeof value['type']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
