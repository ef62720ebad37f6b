import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { digestOf } from '../../src/service/operations/access/token.js';
import type { Allowance } from '../../src/service/operations/limits/caller-limits.js';

/** A bearer token with its entry in the file. Without `projects`, it is valid for all projects. */
export interface TokenOf {
  readonly token: string;
  readonly name: string;
  readonly projects?: readonly string[];
  readonly expires?: string;
  readonly limits?: Allowance;
  readonly watch?: boolean;
}

/** Returns the text of a file of tokens. */
export const tokenFileOf = (...tokens: readonly TokenOf[]): string =>
  stringify({
    tokens: tokens.map(({ token, ...entry }) => ({ projects: 'all', ...entry, sha256: digestOf(token) })),
  });

/** Writes a file of tokens into a new folder and returns its path. */
export function writeTokenFile(...tokens: readonly TokenOf[]): string {
  const path = join(mkdtempSync(join(tmpdir(), 'stepwise-tokens-')), 'tokens.yaml');
  writeFileSync(path, tokenFileOf(...tokens));
  return path;
}
