import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { TiktokenBPE } from 'js-tiktoken/lite';
import { type OnDemand, onDemand } from '../event-loop/on-demand.js';
import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { CountCache } from './count-cache.js';
import { countText, type EncodingTables } from './count-text.js';
import { type EndOfPiece, endOfCl100kPiece, endOfO200kPiece } from './pieces/split-pieces.js';
import { type RankTable, readRankTable } from './rank-table.js';
import { Vocabulary } from './vocabulary.js';

/** The encodings that OpenAI publishes for its chat models, the newest first. */
export type Encoding = 'o200k_base' | 'cl100k_base';

interface Source {
  /** Name of the module that contains the ranks. */
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

const WARM_UP_BYTES = 128 * 1024;

const tables: Readonly<Record<Encoding, OnDemand<EncodingTables>>> = {
  o200k_base: onDemand(() => load(sources.o200k_base)),
  cl100k_base: onDemand(() => load(sources.cl100k_base)),
};

/**
 * Returns the encoding's tables, which are loaded once per process. Every count loads its encoding on demand. A
 * server calls this at start, so that its first request need not wait for the 0.1 s that loading takes. Throws the
 * signal's reason if the signal is aborted first.
 */
export function loadEncoding(encoding: Encoding, signal?: AbortSignal): Promise<EncodingTables> {
  return tables[encoding].get(signal);
}

async function load(source: Source): Promise<EncodingTables> {
  const ranks = (await readRanks(source)) ?? (await source.ranks()).default.bpe_ranks;
  await yieldIfBusy();
  const table = readRankTable(ranks);
  await yieldIfBusy();
  const vocabulary = new Vocabulary(table);
  const encoding = { vocabulary, endOfPiece: source.endOfPiece, cache: new CountCache() };
  await warmUp(encoding, table);
  return encoding;
}

/**
 * Reads the ranks from the module's file, because an imported module would stay in memory both as source text and
 * as value. Returns undefined if the file does not exist, as in a bundle.
 */
async function readRanks({ name }: Source): Promise<string | undefined> {
  try {
    const text = await readFile(createRequire(import.meta.url).resolve(name), 'latin1');
    return /"(! 0 [^"]+)"/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Counts the first tokens of the vocabulary as a text, so that V8 compiles the counting code. Uncompiled, it runs
 * at a tenth of its speed.
 */
async function warmUp(encoding: EncodingTables, table: RankTable): Promise<void> {
  const text = new TextDecoder().decode(table.bytes.subarray(0, WARM_UP_BYTES));
  await countText(encoding, text, { limit: Number.POSITIVE_INFINITY });
}
