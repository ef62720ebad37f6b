import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

/**
 * `node run.ts [--grammar=NAME] FOLDER COMMAND…`: runs the cases in FOLDER, or those of one grammar, through the
 * parser that COMMAND starts, and prints verdicts (see README.md).
 */
const [first = '', ...others] = process.argv.slice(2);
const grammar = first.startsWith('--grammar=') ? first.slice('--grammar='.length) : undefined;
const [folder, command = '', ...words] = grammar === undefined ? [first, ...others] : others;
const text = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
const objects = (lines: string) =>
  lines
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

const sets = JSON.parse(text('tools.json'));
const files = ['rulings', 'written-calls', 'native-formats'].map((name) => text(`cases/${name}.jsonl`));
const cases = objects(files.join('')).filter((each) => grammar === undefined || each.grammar === grammar);
const replies = cases.map(({ expected: _, tools, ...reply }) => ({ ...reply, tools: sets[tools] ?? tools }));
const input = replies.map((reply) => JSON.stringify(reply)).join('\n');
const { stdout, error } = spawnSync(command, words, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
if (error) throw error;
const outcomes = new Map(objects(stdout).map((outcome) => [outcome.id, outcome]));

const counts: Record<string, Record<string, number>> = {};
for (const { id, rule: own, grammar: format, expected } of cases) {
  const rule = format ? `${own} ${format}` : own;
  const outcome = outcomes.get(id) ?? { outcome: 'error' };
  const differs = (key: string): boolean => key in outcome && !isDeepStrictEqual(outcome[key], expected[key]);
  const [acts, shouldAct] = [outcome.outcome === 'action', expected.outcome === 'action'];
  const verdict = (): string => {
    if (outcome.outcome === 'error') return 'raised';
    if (acts !== shouldAct) return acts ? 'acted' : 'missed';
    if (acts && ['tool_name', 'tool_args', 'additional'].some(differs)) return 'wrong call';
    if (outcome.outcome === 'none') return 'right';
    return Object.keys(expected).some(differs) ? 'differs' : 'right';
  };
  const row = counts[rule] ?? {};
  counts[rule] = { ...row, [verdict()]: (row[verdict()] ?? 0) + 1 };
  if (verdict() !== 'right') console.log(verdict(), id);
}
console.table(counts);
process.exitCode = Object.values(counts).every((row) => Object.keys(row).join() === 'right') ? 0 : 1;
