import { isDeepStrictEqual } from 'node:util';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { loadCases, type ParserCase, tiers, writtenCallTools } from '../../test/support/parsing/cases.js';
import { atLeast, atMost, type Figure } from '../figures.js';
import { hostileSegments, hostileTexts } from '../inputs/hostile-texts.js';
import { median } from '../measure/samples.js';
import { type Call, loadParsers, type Parser } from '../stacks/parsers.js';

const SMALLEST = 2 ** 10;
const LARGEST = 2 ** 20;
/** A peer is not given a longer text once one took this long: some grow with the cube of the length. */
const LONGEST_READ_MS = 200;

/** The given cases side by side, then the growth of the time on hostile texts from 1 KiB to 1 MiB. */
export async function run(): Promise<Figure[]> {
  const cases = loadCases('written-calls');
  const parsers = await loadParsers(writtenCallTools());
  const [ours, ...peers] = parsers;
  if (!ours) throw new Error('no parser');
  console.log(
    `\nread exactly as expected, of ${cases.length} cases (for neg: no action was proposed, nothing was raised)\n`,
  );
  console.table(
    Object.fromEntries(await Promise.all(parsers.map(async (each) => [each.name, await score(each, cases)]))),
  );
  console.log(
    '\nCPU ms on hostile texts: ours at 64 KiB, 512 KiB, 1 MiB and the factor of the last doubling;',
  );
  console.log(`peers: the longest text read before one took ${LONGEST_READ_MS} ms, and its ms\n`);
  const times = await timesOf(ours, hostileTexts);
  console.table(await besidePeers(times, peers));
  console.log('\nCPU ms on hostile tool segments, at the same lengths\n');
  const segments = await timesOf(segmentReader, hostileSegments);
  console.table(await besidePeers(segments, []));
  return [
    ...casesRight(await score(ours, cases)),
    ...slowest([...Object.values(times), ...Object.values(segments)]),
  ];
}

function casesRight(score: Score): Figure[] {
  return tiers.map((tier) =>
    atLeast({ what: `parser cases read right: ${tier}`, unit: '%' }, tier === 'repair' ? 95 : 100, [
      score[tier],
    ]),
  );
}

function slowest(times: readonly Growth[]): Figure[] {
  const longest = Math.max(...times.map(({ least }) => least.at(-1) ?? Number.NaN));
  const steepest = Math.max(...times.map(({ doubling }) => doubling ?? 0));
  return [
    atMost({ what: 'parser, 1 MiB of anything, the slowest', unit: 'ms', digits: 0 }, 1_000, [longest]),
    atMost({ what: 'parser, twice the text, the steepest', unit: '× the time' }, STEEPEST, [steepest]),
  ];
}

/** Percents by tier, and how often the parser threw. */
type Score = Record<ParserCase['tier'] | 'raised', number>;

async function score(parser: Parser, cases: readonly ParserCase[]): Promise<Score> {
  const result: Score = { core: 0, neg: 0, ruling: 0, repair: 0, raised: 0 };
  for (const each of cases) {
    const read = await attempt(parser, each.text);
    if (read === 'raised') result.raised += 1;
    else if (agrees(read, each)) result[each.tier] += 1;
  }
  for (const tier of tiers)
    result[tier] = (100 * result[tier]) / cases.filter((each) => each.tier === tier).length;
  return result;
}

async function attempt(parser: Parser, text: string): Promise<Call | null | 'raised'> {
  try {
    return await parser.parse(text);
  } catch {
    return 'raised';
  }
}

function agrees(read: Call | null, { expected }: ParserCase): boolean {
  const { outcome, tool_name, tool_args } = expected;
  if (!read || outcome !== 'action') return read === null && outcome !== 'action';
  return read.tool === tool_name && isDeepStrictEqual(read.args, tool_args);
}

type Texts = Readonly<Record<string, (length: number) => string>>;
type Times = Record<string, Growth>;

interface Growth {
  /** Milliseconds at 64 KiB, 512 KiB and 1 MiB. */
  readonly least: readonly number[];
  /** The factor between the last two, where the time is long enough to tell. */
  readonly doubling: number | undefined;
}

async function timesOf(parser: Parser, texts: Texts): Promise<Times> {
  const times: Times = {};
  for (const [name, create] of Object.entries(texts)) {
    times[name] = await growthOf(parser, { create, lengths: [2 ** 16, LARGEST / 2, LARGEST] });
  }
  return times;
}

async function besidePeers(times: Times, peers: readonly Parser[]): Promise<Record<string, object>> {
  const table: Record<string, Record<string, string>> = {};
  for (const [name, { least, doubling }] of Object.entries(times)) {
    const ours = least.map((each) => each.toFixed(1)).join(', ');
    const row = { stepwise: `${ours}${doubling === undefined ? '' : ` ×${doubling.toFixed(1)}`}` };
    for (const peer of peers)
      Object.assign(row, { [peer.name]: await reach(peer, hostileTexts[name] ?? String) });
    table[name] = row;
  }
  return table;
}

const segmentReader: Parser = {
  name: 'segments',
  parse: (segment) => {
    readSignatures(segment);
    return null;
  },
};

const ROUNDS = 5;
/** Of a text that seems to grow too steeply: what else the machine does can only look like it once. */
const MOST_LOOKS = 4;
const STEEPEST = 2.3;
/** A shorter time says little of how it grows. */
const LONG_ENOUGH_MS = 20;

interface GrowingText {
  readonly create: (length: number) => string;
  readonly lengths: readonly number[];
}

async function growthOf(parser: Parser, text: GrowingText): Promise<Growth> {
  let growth = await look(parser, text);
  for (let looks = 1; looks < MOST_LOOKS && (growth.doubling ?? 0) > STEEPEST; looks += 1) {
    const next = await look(parser, text);
    if ((next.doubling ?? 0) < (growth.doubling ?? 0)) growth = next;
  }
  return growth;
}

/**
 * The lengths take turns. Of each the best is kept, since what else the machine does only ever adds; of the factors in each
 * turn the median, since two bests of different turns need not belong together. Each text is new, as one that arrives: one
 * that was read before is still in the processor's cache if it is short, and only the longer one would have to be fetched.
 */
async function look(parser: Parser, { create, lengths }: GrowingText): Promise<Growth> {
  const turns: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const spent: number[] = [];
    for (const length of lengths) spent.push(await time(parser, Buffer.from(create(length)).toString()));
    turns.push(spent);
  }
  const least = lengths.map((_, at) => Math.min(...turns.map((spent) => spent[at] ?? Number.NaN)));
  const doublings = turns.map((spent) => (spent.at(-1) ?? 0) / (spent.at(-2) ?? 0));
  return { least, doubling: (least.at(-1) ?? 0) < LONG_ENOUGH_MS ? undefined : median(doublings) };
}

/** CPU, in milliseconds. */
async function time(parser: Parser, text: string): Promise<number> {
  const start = process.cpuUsage();
  await attempt(parser, text);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** How long a text a peer reads within that time. */
async function reach(peer: Parser, create: (length: number) => string): Promise<string> {
  for (let length = SMALLEST; length <= LARGEST; length *= 2) {
    const spent = await time(peer, create(length));
    if (spent > LONGEST_READ_MS || length === LARGEST) return `${length / 1024} KiB ${spent.toFixed(0)}`;
  }
  return '';
}
