import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { TiktokenBPE } from 'js-tiktoken/lite';
import { eventLoopShare } from '../event-loop/event-loop-share.js';
import { type OnDemand, onDemand } from '../event-loop/on-demand.js';
import { countText, type EncodingTables } from './count-text.js';
import { CountsUnderWay } from './counts-under-way.js';
import { RecentTokens } from './pieces/recent-tokens.js';
import { type EndOfPiece, endOfCl100kPiece, endOfO200kPiece } from './pieces/split-pieces.js';
import { type RankTable, readRankTable } from './rank-table.js';
import { TextMemo } from './text-memo.js';
import { Vocabulary } from './vocabulary.js';

/** The encodings OpenAI publishes for its chat models, the newer first. */
export type Encoding = 'o200k_base' | 'cl100k_base';

interface Source {
  /** The module of the package that holds the ranks. */
  readonly name: string;
  readonly ranks: () => Promise<{ default: TiktokenBPE }>;
  readonly endOfPiece: EndOfPiece;
}

const sources: Record<Encoding, Source> = {
  o200k_base: {
    name: 'js-tiktoken/ranks/o200k_base',
    ranks: () => import('js-tiktoken/ranks/o200k_base'),
    endOfPiece: endOfO200kPiece,
  },
  cl100k_base: {
    name: 'js-tiktoken/ranks/cl100k_base',
    ranks: () => import('js-tiktoken/ranks/cl100k_base'),
    endOfPiece: endOfCl100kPiece,
  },
};

/** More than any turn's share: what follows has the turn to itself. */
const WHOLE_TURN = Number.POSITIVE_INFINITY;
const WARM_UP_BYTES = 128 * 1024;

const tables: Readonly<Record<Encoding, OnDemand<EncodingTables>>> = {
  o200k_base: onDemand(() => load('o200k_base')),
  cl100k_base: onDemand(() => load('cl100k_base')),
};
const ready = new Map<Encoding, EncodingTables>();

/** The tables, if they have been read. */
export function loadedEncoding(encoding: Encoding): EncodingTables | undefined {
  return ready.get(encoding);
}

/**
 * The encoding's tables, read once per process. Every count loads what it needs; a server calls this at start, so
 * that its first request need not wait the tenth of a second that it takes. Throws the signal's reason if that fires first.
 */
export function loadEncoding(encoding: Encoding, signal?: AbortSignal): Promise<EncodingTables> {
  return tables[encoding].get(signal);
}

async function load(name: Encoding): Promise<EncodingTables> {
  const source = sources[name];
  const { endOfPiece } = source;
  const ranks = (await readRanks(source)) ?? (await source.ranks()).default.bpe_ranks;
  await eventLoopShare.take(WHOLE_TURN);
  const table = readRankTable(ranks);
  await eventLoopShare.take(WHOLE_TURN);
  const vocabulary = new Vocabulary(table);
  const pieces = new RecentTokens(vocabulary);
  const encoding = { vocabulary, pieces, endOfPiece, memo: new TextMemo(), underWay: new CountsUnderWay() };
  await warmUp(encoding, table);
  ready.set(name, encoding);
  return encoding;
}

/**
 * The ranks out of the file of their module: once imported, it would keep its text in memory, as source and as value.
 * Undefined where there is no such file, as beside a bundle.
 */
async function readRanks({ name }: Source): Promise<string | undefined> {
  try {
    const text = await readFile(createRequire(import.meta.url).resolve(name), 'latin1');
    return /"(! 0 [^"]+)"/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/** Counts the first tokens of the vocabulary as a text: uncompiled, the code runs at a tenth of its speed. */
async function warmUp(encoding: EncodingTables, table: RankTable): Promise<void> {
  const text = new TextDecoder().decode(table.bytes.subarray(0, WARM_UP_BYTES));
  await countText(encoding, text, { limit: Number.POSITIVE_INFINITY });
}
