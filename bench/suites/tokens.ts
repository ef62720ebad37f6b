import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Encoding, loadEncoding } from '../../src/tokens/encodings.js';
import { createTokenCounter } from '../../src/tokens/token-counter.js';
import { atLeast, atMost, type Figure } from '../figures.js';

const ENCODING: Encoding = 'o200k_base';
const CHUNK = 200_000;
const ROUNDS = 7;
const MEGABYTE = 1_000_000;
const COLD_PASS = 'cold pass of the token bench';

type Count = (text: string) => Promise<number> | number;
const contestants: Record<'ours' | 'js-tiktoken', () => Promise<Count>> = {
  ours: async () => {
    await loadEncoding(ENCODING);
    // Creates a counter for each text, as each step does: the cache is shared by all of them.
    return (text: string) => createTokenCounter(ENCODING).count(text);
  },
  'js-tiktoken': async () => {
    const [{ Tiktoken }, ranks] = await Promise.all([
      import('js-tiktoken/lite'),
      import('js-tiktoken/ranks/o200k_base'),
    ]);
    const tokenizer = new Tiktoken(ranks.default);
    return (text) => tokenizer.encode(text, [], []).length;
  },
};
type Contestant = keyof typeof contestants;

/** Measures the speed on code side by side with js-tiktoken, then counts one megabyte of each hostile input. */
export async function run(): Promise<Figure[]> {
  const chunks = codeChunks();
  console.log(
    `Token counts (${ENCODING}). Code: ${ROUNDS} rounds of ${CHUNK / 1000} kB TypeScript, interleaved; medians.`,
  );
  const warm = await compareWarm(chunks);
  console.table({
    'load (ms), new isolate': await compareCold(chunks, 'load'),
    'first text (ms), new isolate': await compareCold(chunks, 'count'),
    ...warm,
  });
  console.log('1 MB (UTF-16 units) of one thing, nothing cached; each figure is the lowest of three trials:');
  const hostile = await countHostileInputs();
  console.table(hostile);
  const worst = (figure: keyof HostileResult): number[] => [
    Math.max(...Object.values(hostile).map((result) => result[figure])),
  ];
  return [
    atLeast({ what: "token counts of code, of js-tiktoken's speed", unit: '×' }, 8, [warm[NEW_TEXT].ratio]),
    atMost(
      { what: 'token count of 1 MB of anything, the worst', unit: 'ms', digits: 0 },
      1_500,
      worst('wall (ms)'),
    ),
    atMost(
      { what: 'event loop held by it, the worst', unit: 'ms', digits: 0 },
      50,
      worst('longest hold (ms)'),
    ),
  ];
}

const NEW_TEXT = 'new text (ms), warm';
const SAME_TEXT = 'the same text again (ms)';
const GROWN_TEXT = 'the text grown by 2 kB (ms)';
const GROWTH = 2_000;

/** Returns real code in chunks, without files that have runs of over a thousand characters: js-tiktoken would take minutes. */
function codeChunks(): string[] {
  const folder = 'node_modules/zod/src';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const code = files
    .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))
    .filter((text) => !/\S{1000}/.test(text))
    .join('\n');
  return Array.from({ length: ROUNDS + 1 }, (_, index) =>
    flat(code.slice(index * CHUNK, (index + 1) * CHUNK + GROWTH)),
  );
}

interface Comparison {
  ours: number;
  'js-tiktoken': number;
  ratio: number;
}

interface Timing {
  load: number;
  count: number;
}

async function compareCold(chunks: readonly string[], part: keyof Timing): Promise<Comparison> {
  return compare(3, async (contestant) => (await inNewIsolate(contestant, chunks[0] ?? ''))[part]);
}

function inNewIsolate(contestant: Contestant, text: string): Promise<Timing> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { task: COLD_PASS, contestant, text },
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function compareWarm(
  chunks: readonly string[],
): Promise<Record<typeof NEW_TEXT | typeof SAME_TEXT | typeof GROWN_TEXT, Comparison>> {
  const counts = { ours: await contestants.ours(), 'js-tiktoken': await contestants['js-tiktoken']() };
  const texts = chunks.map((chunk) => flat(chunk.slice(0, CHUNK)));
  const pass = (of: readonly string[], first: number) => (contestant: Contestant, round: number) =>
    time(() => counts[contestant](of[round + first] ?? ''));
  await compare(1, pass(texts, 0));
  return {
    [NEW_TEXT]: await compare(ROUNDS, pass(texts, 1)),
    [SAME_TEXT]: await compare(ROUNDS, pass(texts, 1)),
    [GROWN_TEXT]: await compare(ROUNDS, pass(chunks, 1)),
  };
}

async function compare(
  rounds: number,
  measure: (contestant: Contestant, round: number) => Promise<number>,
): Promise<Comparison> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    ours.push(await measure('ours', round));
    theirs.push(await measure('js-tiktoken', round));
  }
  const medians = { ours: median(ours), 'js-tiktoken': median(theirs) };
  return { ...medians, ratio: rounded(medians['js-tiktoken'] / medians.ours) };
}

interface HostileResult {
  tokens: number;
  'CPU (ms)': number;
  'wall (ms)': number;
  'longest hold (ms)': number;
}

async function countHostileInputs(): Promise<Record<string, HostileResult>> {
  const { count } = createTokenCounter(ENCODING);
  const results: Record<string, HostileResult> = {};
  for (const [name, makeText] of Object.entries(hostileInputs)) {
    const trials: HostileResult[] = [];
    // Makes a new text for each trial, with a beginning of its own: else its chunks would be in the cache.
    for (const first of ['x', 'y', 'z']) trials.push(await watch(count, flat(first + makeText())));
    const least = (figure: keyof HostileResult): number => Math.min(...trials.map((trial) => trial[figure]));
    results[name] = {
      tokens: least('tokens'),
      'CPU (ms)': least('CPU (ms)'),
      'wall (ms)': least('wall (ms)'),
      'longest hold (ms)': least('longest hold (ms)'),
    };
  }
  return results;
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

/** Counts while a chain of immediates measures the longest time between two turns of the event loop. */
async function watch(count: Count, text: string): Promise<HostileResult> {
  let longest = 0;
  let last = performance.now();
  let watching = true;
  const turn = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (watching) setImmediate(turn);
  };
  await new Promise((resolve) => setImmediate(resolve));
  turn();
  longest = 0;
  const cpuBefore = process.cpuUsage();
  const start = performance.now();
  const tokens = await count(text);
  const wall = performance.now() - start;
  const cpu = process.cpuUsage(cpuBefore);
  turn();
  watching = false;
  return {
    tokens,
    'CPU (ms)': rounded((cpu.user + cpu.system) / 1000),
    'wall (ms)': rounded(wall),
    'longest hold (ms)': rounded(longest),
  };
}

/** Returns the string in one block. A string joined of a million parts is a tree, and the garbage collector's walk over it would be measured. */
function flat(text: string): string {
  return Buffer.from(text).toString();
}

async function time(work: () => Promise<unknown> | unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return rounded([...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

if (!isMainThread && workerData?.task === COLD_PASS) {
  const { contestant, text }: { contestant: Contestant; text: string } = workerData;
  let count: Count = () => 0;
  const load = await time(async () => {
    count = await contestants[contestant]();
  });
  const timing: Timing = { load, count: await time(() => count(text)) };
  parentPort?.postMessage(timing);
}
