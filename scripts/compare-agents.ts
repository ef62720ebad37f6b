/**
 * Puts the agents of other frameworks before the same scripted upstream as this project's own, each with its defaults, and
 * writes what they did into docs/beside-other-agents.md and docs/trials/other-agents.json.
 *
 *     npm run compare:agents                            everything, in about a quarter of an hour
 *     npm run compare:agents -- smolagents 'rate limit' some agents and cases, without writing anything
 *
 * Needs Python 3.10 to 3.13 and the registries; the first time it makes an environment for each framework below
 * node_modules/.cache. Not a part of any check.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Agent, agents, installFrameworks, pythonVersion, versionsOf } from './compare/agents.js';
import { type Case, cases } from './compare/cases.js';
import type { Outcome } from './compare/columns.js';
import { measure } from './compare/measure.js';
import { pageFile, type Recording, recordingFile, withTables } from './compare/report.js';

/** Most of the time is spent waiting. */
const AT_A_TIME = 4;

const [agentPart = '', casePart = ''] = process.argv.slice(2);
const isWhole = agentPart === '' && casePart === '';

interface Pair {
  readonly agent: Agent;
  readonly name: string;
  readonly each: Case;
}

async function measureAll(pairs: readonly Pair[]): Promise<Recording['outcomes']> {
  const outcomes: Record<string, Record<string, readonly Outcome[]>> = {};
  const left = pairs.values();
  const work = async (): Promise<void> => {
    for (const { agent, name, each } of left) {
      const measured = await measure(agent, each);
      outcomes[name] = { ...outcomes[name], [agent.name]: measured };
      console.log([agent.name, name, ...each.columns.map(({ cell }) => cell(measured))].join(' | '));
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return outcomes;
}

/** In the order of the cases and agents, whatever was done first. */
function inOrder(outcomes: Recording['outcomes']): Recording['outcomes'] {
  const names = Object.keys(cases);
  const ofCase = (name: string) =>
    Object.fromEntries(agents.map((agent) => [agent.name, outcomes[name]?.[agent.name] ?? []]));
  return Object.fromEntries(names.map((name) => [name, ofCase(name)]));
}

function write(outcomes: Recording['outcomes']): void {
  const frameworks = new Set(agents.map(({ framework }) => framework));
  const recording: Recording = {
    date: new Date().toISOString().slice(0, 10),
    python: pythonVersion(),
    node: process.versions.node,
    versions: Object.fromEntries([...frameworks].map((each) => [each, versionsOf(each)])),
    outcomes: inOrder(outcomes),
  };
  writeFileSync(recordingFile, JSON.stringify(recording, null, 2));
  execFileSync(resolve('node_modules/.bin/biome'), ['format', '--write', recordingFile], {
    stdio: 'inherit',
  });
  writeFileSync(pageFile, withTables(readFileSync(pageFile, 'utf8'), recording));
}

installFrameworks();
const pairs = Object.entries(cases)
  .filter(([name]) => name.includes(casePart))
  .flatMap(([name, each]) =>
    agents.filter((agent) => agent.name.includes(agentPart)).map((agent) => ({ agent, name, each })),
  );
const outcomes = await measureAll(pairs);
if (isWhole) write(outcomes);
