import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import { type Encoding, loadEncoding } from '../../src/tokens/encodings.js';
import { createTokenCounter } from '../../src/tokens/token-counter.js';
import { atLeast, atMost, type Figure } from '../figures.js';
import { type BenchOptions, interleave } from '../measure/rounds.js';
import { ratios } from '../measure/samples.js';

const ENCODING: Encoding = 'o200k_base';
const CHUNK = 200_000;
const ROUNDS = 7;
const MEGABYTE = 1_000_000;
const TRIALS = 3;

/**
 * Measures token counting: the speed on code, compared with js-tiktoken, and the time for one megabyte of each
 * hostile text.
 */
export async function run({ quick }: BenchOptions): Promise<Figure[]> {
  await loadEncoding(ENCODING);
  const { ours, theirs } = await compareOnCode(quick ? 1 : ROUNDS);
  const hostile = await countHostileInputs(quick ? 1 : TRIALS);
  console.log(`\n1 MB (UTF-16 units) of each hostile text, not cached; best of ${TRIALS} trials:\n`);
  console.table(hostile);
  const worst = (figure: keyof HostileCount): number[] => [
    Math.max(...Object.values(hostile).map((count) => count[figure])),
  ];
  const inMs = { unit: 'ms', digits: 0 };
  return [
    {
      what: "token counts of code, of js-tiktoken's speed",
      unit: '×',
      measured: atLeast(8, ratios(theirs, ours)),
    },
    {
      what: 'token count of 1 MB of hostile text, maximum',
      ...inMs,
      measured: atMost(1_500, worst('wall (ms)')),
    },
    {
      what: 'event loop held while counting it, maximum',
      ...inMs,
      measured: atMost(200, worst('longest hold (ms)')),
    },
  ];
}

/**
 * Returns the milliseconds that each counter takes for a new chunk of code in each round. The first round warms up
 * both counters and is dropped.
 */
async function compareOnCode(rounds: number): Promise<Record<'ours' | 'theirs', number[]>> {
  const chunks = codeChunks(rounds + 1);
  const tokenizer = new Tiktoken(ranks);
  const counts = {
    ours: (text: string) => createTokenCounter(ENCODING).count(text),
    theirs: (text: string) => tokenizer.encode(text, [], []).length,
  };
  const { ours, theirs } = await interleave(['ours', 'theirs'], rounds + 1, (name, round) =>
    msOf(() => counts[name](chunks[round] ?? '')),
  );
  return { ours: ours.slice(1), theirs: theirs.slice(1) };
}

/**
 * Returns real code, without files that contain runs of over a thousand characters, for which js-tiktoken takes
 * minutes.
 */
function codeChunks(count: number): string[] {
  const folder = 'node_modules/zod/src';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const code = files
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .filter((text) => !/\S{1000}/.test(text))
    .join('\n');
  return Array.from({ length: count }, (_, index) => flat(code.slice(index * CHUNK, (index + 1) * CHUNK)));
}

interface HostileCount {
  readonly 'CPU (ms)': number;
  readonly 'wall (ms)': number;
  readonly 'longest hold (ms)': number;
}

async function countHostileInputs(trials: number): Promise<Record<string, HostileCount>> {
  const counts: Record<string, HostileCount> = {};
  for (const [name, makeText] of Object.entries(hostileInputs)) {
    const tried: HostileCount[] = [];
    // The text of each trial begins differently, because the cache contains the chunks of the previous text.
    for (const first of ['x', 'y', 'z'].slice(0, trials))
      tried.push(await watchCount(flat(first + makeText())));
    const least = (figure: keyof HostileCount): number => Math.min(...tried.map((trial) => trial[figure]));
    counts[name] = {
      'CPU (ms)': least('CPU (ms)'),
      'wall (ms)': least('wall (ms)'),
      'longest hold (ms)': least('longest hold (ms)'),
    };
  }
  return counts;
}

const hostileInputs: Record<string, () => string> = {
  'the letter a': () => 'a'.repeat(MEGABYTE),
  spaces: () => ' '.repeat(MEGABYTE),
  'line breaks': () => '\n'.repeat(MEGABYTE),
  'equals signs': () => '='.repeat(MEGABYTE),
  'random letters': () =>
    Array.from(randomBytes(MEGABYTE), (byte) => String.fromCharCode(97 + (byte % 26))).join(''),
  'random CJK': () => randomCharacters(MEGABYTE, 0x4e00, 20_000),
  'random emoji': () => randomCharacters(MEGABYTE / 2, 0x1f300, 600),
  base64: () => randomBytes((MEGABYTE / 4) * 3).toString('base64'),
  digits: () => Array.from(randomBytes(MEGABYTE), (byte) => byte % 10).join(''),
  'combining marks': () => '\u0301'.repeat(MEGABYTE),
  capitals: () => 'A'.repeat(MEGABYTE),
  'words of 128 letters': () =>
    Array.from({ length: MEGABYTE / 128 }, () => randomBytes(64).toString('hex').replace(/\d/g, 'g')).join(
      ' ',
    ),
};

function randomCharacters(length: number, first: number, span: number): string {
  const choices = new Uint16Array(randomBytes(2 * length).buffer.slice(0, 2 * length));
  return Array.from({ length }, (_, index) =>
    String.fromCodePoint(first + ((choices[index] ?? 0) % span)),
  ).join('');
}

/** Counts a text. Meanwhile, a loop records the longest time between two turns of the event loop. */
async function watchCount(text: string): Promise<HostileCount> {
  let isCounted = false;
  let longest = 0;
  const watching = (async () => {
    while (!isCounted) longest = Math.max(longest, await msOf(() => turn()));
  })();
  const before = process.cpuUsage();
  const wall = await msOf(() => createTokenCounter(ENCODING).count(text));
  const { user, system } = process.cpuUsage(before);
  isCounted = true;
  await watching;
  return { 'CPU (ms)': (user + system) / 1_000, 'wall (ms)': wall, 'longest hold (ms)': longest };
}

/**
 * Returns a copy of a text that is one block of memory. A string joined from a million parts is a tree, which the
 * garbage collector would have to traverse.
 */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

async function msOf(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
