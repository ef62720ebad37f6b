import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ApprovalRule } from '../../sdk/actions/approval.js';
import { configFolder, writeWhole } from '../session/user-files.js';

/** What a person allowed for good, by project folder; kept in the person's own configuration, not the project's. */
type RulesByFolder = Readonly<Record<string, readonly ApprovalRule[]>>;

/** A rule as a person reads it. */
export const describeRule = ({ tool, command_prefix }: ApprovalRule): string =>
  command_prefix === undefined ? tool : `"${command_prefix} …"`;

export class ApprovalRules {
  readonly #file: string;
  readonly #folder: string;

  constructor(folder: string, file = join(configFolder(), 'approvals.json')) {
    this.#file = file;
    this.#folder = folder;
  }

  /** What is damaged or not there allows nothing. */
  async load(): Promise<readonly ApprovalRule[]> {
    const all = await this.#read();
    return Object.hasOwn(all, this.#folder) ? (all[this.#folder] ?? []) : [];
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
  ['undefined', 'string'].includes(typeof value['command_prefix']);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
