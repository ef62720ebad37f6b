import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { OfferedTool } from '../../../src/parsing/arguments/offered-tool.js';
import { type outcomeOf, type Reply, toOffered } from '../../conformance/stepwise.js';

export const tiers = ['core', 'neg', 'ruling', 'repair'] as const;

/** The expected result of parsing a reply; `test/conformance/case.schema.json` lists the fields of each outcome. */
export type Expected = { readonly outcome: string } & Partial<Omit<ReturnType<typeof outcomeOf>, 'outcome'>>;

export interface ParserCase extends Reply {
  readonly rule: string;
  readonly tier: (typeof tiers)[number];
  readonly title?: string;
  readonly style?: string;
  readonly wrap?: string;
  readonly family?: string;
  readonly grammar?: string;
  readonly expected: Expected;
}

/** Loads the cases of a file in `test/conformance/cases`, each with its tools. */
export function loadCases(file: 'rulings' | 'written-calls' | 'native-formats'): ParserCase[] {
  const sets: Record<string, Reply['tools']> = JSON.parse(
    readFileSync('test/conformance/tools.json', 'utf8'),
  );
  const lines = readFileSync(`test/conformance/cases/${file}.jsonl`, 'utf8').trim().split('\n');
  return lines
    .map((line): ParserCase & { readonly tools: string | Reply['tools'] } => JSON.parse(line))
    .map((each) => ({ ...each, tools: sets[String(each.tools)] ?? each.tools }));
}

/** Returns the tools of the cases in `written-calls.jsonl`, which are the same for all of them. */
export function writtenCallTools(): OfferedTool[] {
  return toOffered(loadCases('written-calls')[0]?.tools ?? []);
}

/** Returns the names of the fields in which an outcome differs from the expected one. */
export function faults(expected: Expected, outcome: ReturnType<typeof outcomeOf>): string[] {
  const found = new Map<string, unknown>(Object.entries(outcome));
  return Object.entries(expected)
    .filter(([field, value]) => !isDeepStrictEqual(found.get(field), value))
    .map(([field]) => `${field}: ${JSON.stringify(found.get(field))}`);
}
