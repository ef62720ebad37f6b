import { isDeepStrictEqual } from 'node:util';
import { readSignatures } from '../../src/service/parsing/arguments/signatures.js';
import { loadVectors, type ParserCase, type Tier } from '../../test/support/parsing/vectors.js';
import type { Figure } from '../figures.js';
import { hostileSegments, hostileTexts } from '../inputs/hostile-texts.js';
import { type Call, loadParsers, type Parser } from '../stacks/parsers.js';

const tiers: readonly Tier[] = ['core', 'neg', 'ruling', 'repair'];
const SMALLEST = 2 ** 10;
const LARGEST = 2 ** 20;
/** A peer is not given a longer text once one took this long: some grow with the cube of the length. */
const LONGEST_READ_MS = 200;

/** The given cases side by side, then the growth of the time on hostile texts from 1 KiB to 1 MiB. */
export async function run(): Promise<Figure[]> {
  const { tools, cases } = loadVectors();
  const parsers = await loadParsers(tools);
  console.log(
    `\nread exactly as expected, of ${cases.length} cases (for neg: no action was proposed, nothing was raised)\n`,
  );
  console.table(await scoreAll(parsers, cases));
  console.log('\nms on hostile texts: ours at 64 KiB, 512 KiB, 1 MiB and the factor of the last doubling;');
  console.log(`peers: the longest text read before one took ${LONGEST_READ_MS} ms, and its ms\n`);
  console.table(await measureAll(parsers));
  console.log('\nms on hostile tool segments, at the same lengths\n');
  console.table(await measureSegments());
  return [];
}

type Table = Record<string, Record<string, string>>;

async function scoreAll(parsers: readonly Parser[], cases: readonly ParserCase[]): Promise<Table> {
  const table: Table = {};
  for (const parser of parsers) table[parser.name] = await score(parser, cases);
  return table;
}

async function score(parser: Parser, cases: readonly ParserCase[]): Promise<Record<string, string>> {
  const right = new Map<Tier, number>();
  let raised = 0;
  for (const each of cases) {
    const read = await attempt(parser, each.text);
    if (read === 'raised') raised += 1;
    else if (agrees(read, each)) right.set(each.tier, (right.get(each.tier) ?? 0) + 1);
  }
  const shares = tiers.map((tier) => {
    const count = cases.filter((each) => each.tier === tier).length;
    return [tier, `${((100 * (right.get(tier) ?? 0)) / count).toFixed(1)} % of ${count}`];
  });
  return { ...Object.fromEntries(shares), raised: String(raised) };
}

async function attempt(parser: Parser, text: string): Promise<Call | null | 'raised'> {
  try {
    return await parser.parse(text);
  } catch {
    return 'raised';
  }
}

function agrees(read: Call | null, { expect }: ParserCase): boolean {
  if (!read || !expect) return read === null && expect === null;
  return read.tool === expect.tool_name && isDeepStrictEqual(read.args, expect.tool_args);
}

async function measureAll([ours, ...peers]: readonly Parser[]): Promise<Table> {
  const table: Table = {};
  for (const [name, create] of Object.entries(hostileTexts)) {
    if (!ours) continue;
    const spent = await best(ours, [2 ** 16, LARGEST / 2, LARGEST].map(create));
    const row = { [ours.name]: `${spent.map((each) => each.toFixed(1)).join(', ')}${growth(spent)}` };
    for (const peer of peers) row[peer.name] = await reach(peer, create);
    table[name] = row;
  }
  return table;
}

async function measureSegments(): Promise<Table> {
  const parse = (segment: string): null => {
    readSignatures(segment);
    return null;
  };
  const table: Table = {};
  for (const [name, create] of Object.entries(hostileSegments)) {
    const spent = await best({ name: 'segments', parse }, [2 ** 16, LARGEST / 2, LARGEST].map(create));
    table[name] = { stepwise: `${spent.map((each) => each.toFixed(1)).join(', ')}${growth(spent)}` };
  }
  return table;
}

/** The factor between the last two, where the time is long enough to tell. */
function growth(spent: readonly number[]): string {
  const [half = 0, whole = 0] = spent.slice(-2);
  return whole < 20 ? '' : ` ×${(whole / half).toFixed(1)}`;
}

/** The best of seven rounds over all texts: what else the machine does only ever adds. */
async function best(parser: Parser, texts: readonly string[]): Promise<number[]> {
  const least = texts.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < 7; round += 1) {
    for (const [at, text] of texts.entries()) least[at] = Math.min(least[at] ?? 0, await time(parser, text));
  }
  return least;
}

async function time(parser: Parser, text: string): Promise<number> {
  const start = performance.now();
  await attempt(parser, text);
  return performance.now() - start;
}

/** How long a text a peer reads within that time. */
async function reach(peer: Parser, create: (length: number) => string): Promise<string> {
  for (let length = SMALLEST; length <= LARGEST; length *= 2) {
    const spent = await time(peer, create(length));
    if (spent > LONGEST_READ_MS || length === LARGEST) return `${length / 1024} KiB ${spent.toFixed(0)}`;
  }
  return '';
}
