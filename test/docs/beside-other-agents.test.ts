import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { agents } from '../../scripts/compare/agents.js';
import { cases } from '../../scripts/compare/cases.js';
import { columns } from '../../scripts/compare/columns.js';
import { measure } from '../../scripts/compare/measure.js';
import {
  pageFile,
  type Recording,
  recordingFile,
  versionsHeading,
  withTables,
} from '../../scripts/compare/report.js';

/**
 * The frameworks are too large to install for a suite, so the claims of the page are checked against recorded
 * measurements.
 */
const page = readFileSync(pageFile, 'utf8');
const recording: Recording = JSON.parse(readFileSync(recordingFile, 'utf8'));
const own = agents.filter(({ framework }) => framework === 'stepwise');

test('every cell of the comparison page equals the recorded measurement', () => {
  expect(page).toBe(withTables(page, recording));
});

test('every case of the comparison was measured with every agent and has a section that explains it', () => {
  const sections = page.split(/^## /m).slice(1);
  const headings = sections.map((section) => section.slice(0, section.indexOf('\n')));
  expect(headings.filter((heading) => heading in cases)).toEqual(Object.keys(cases));
  expect(headings).toContain(versionsHeading);
  for (const [name, { columns: shown }] of Object.entries(cases)) {
    const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? '';
    const [, meaning = ''] = section.split(/(?:^\|.*\n)+/m);
    expect([name, meaning.trim().length > 80]).toEqual([name, true]);
    const measured = recording.outcomes[name] ?? {};
    expect([name, Object.keys(measured)]).toEqual([name, agents.map((agent) => agent.name)]);
    const cells = Object.values(measured).map((outcomes) => outcomes.length > 0 && shown.length > 0);
    expect([name, new Set(cells)]).toEqual([name, new Set([true])]);
  }
});

test('the comparison measured the versions that are pinned', () => {
  for (const framework of new Set(agents.map((agent) => agent.framework))) {
    if (framework === 'stepwise') continue;
    const pinned = readFileSync(`scripts/compare/python/requirements/${framework}.txt`, 'utf8').trim();
    const named = pinned.split('\n').map((line) => line.replace(/\[\w+\]/, '').replace('==', ' '));
    const measured = recording.versions[framework]?.split(', ');
    expect(measured).toEqual([...named, expect.stringMatching(/^openai \d/)]);
  }
});

const quick = Object.entries(cases).filter(([, { columns: shown }]) => !shown.includes(columns.seconds));
const tried = quick.flatMap(([name, each]) => own.map((agent) => ({ name, agent, each, as: agent.name })));

test.each(tried)('$as behaves as the comparison page states: $name', async ({ name, agent, each }) => {
  const lasting = each.columns.filter((column) => column !== columns.longestPrompt);
  const cellsOf = (outcomes: Awaited<ReturnType<typeof measure>>) =>
    lasting.map(({ heading, cell }) => [heading, cell(outcomes)]);
  expect(cellsOf(await measure(agent, each))).toEqual(
    cellsOf([...(recording.outcomes[name]?.[agent.name] ?? [])]),
  );
}, 120_000);
