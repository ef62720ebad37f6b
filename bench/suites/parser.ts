import { isDeepStrictEqual } from 'node:util';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { readSignatures } from '../../src/parsing/segment/signatures.js';
import { loadCases, type ParserCase, tiers, writtenCallTools } from '../../test/support/parsing/cases.js';
import { atLeast, atMost, type Figure } from '../figures.js';
import { hostileSegments, hostileTexts } from '../inputs/hostile-texts.js';
import type { BenchOptions } from '../measure/rounds.js';
import { median } from '../measure/samples.js';

const MEBIBYTE = 2 ** 20;
const MAX_MS = 1_000;
const MAX_FACTOR_OF_DOUBLING = 2.3;
/** Minimum time to parse 1 MiB, in milliseconds, for which growth is computed. Shorter times are too inexact. */
const MIN_MS_FOR_GROWTH = 20;
const ROUNDS = 5;
/**
 * Maximum number of trials for a text whose time seems to grow too steeply. Only the best trial is reported, because
 * other work on the machine only adds time.
 */
const TRIALS = 4;

type Texts = Readonly<Record<string, (length: number) => string>>;

/**
 * Measures which share of the conformance cases the parser reads correctly, and the time that it takes for hostile
 * texts of 512 KiB and 1 MiB.
 */
export async function run({ quick }: BenchOptions): Promise<Figure[]> {
  const tools = writtenCallTools();
  const selected = (texts: Texts): Texts =>
    Object.fromEntries(Object.entries(texts).slice(0, quick ? 3 : undefined));
  const replies = growthsOf((text) => parseCompletion(text, tools), selected(hostileTexts));
  const segments = growthsOf(readSignatures, selected(hostileSegments));
  console.log('\nCPU ms of the parser on hostile replies, then on hostile tool segments\n');
  console.table(replies);
  console.table(segments);
  const growths = [...Object.values(replies), ...Object.values(segments)];
  return [
    ...tiers.map((tier) => casesFigure(tier)),
    {
      what: 'parser, 1 MiB of hostile text, maximum',
      unit: 'ms',
      digits: 0,
      measured: atMost(MAX_MS, [Math.max(...growths.map((growth) => growth['1 MiB']))]),
    },
    {
      what: 'parser, growth for twice the text, maximum',
      unit: '× the time',
      measured: atMost(MAX_FACTOR_OF_DOUBLING, [Math.max(...growths.map(({ factor }) => factor ?? 0))]),
    },
  ];
}

function casesFigure(tier: ParserCase['tier']): Figure {
  const cases = loadCases('written-calls').filter((each) => each.tier === tier);
  const percent = (100 * cases.filter(isReadRight).length) / cases.length;
  return {
    what: `conformance cases parsed correctly: ${tier}`,
    unit: '%',
    measured: atLeast(tier === 'repair' ? 95 : 100, [percent]),
  };
}

function isReadRight({ text, expected }: ParserCase): boolean {
  const { action } = parseCompletion(text, writtenCallTools());
  const { outcome, tool_name, tool_args } = expected;
  if (!action || outcome !== 'action') return action === null && outcome !== 'action';
  return action.toolName === tool_name && isDeepStrictEqual(action.toolArgs, tool_args);
}

interface Growth {
  readonly '512 KiB': number;
  readonly '1 MiB': number;
  /** Time for 1 MiB divided by the time for 512 KiB; undefined if the times are too short to compare. */
  readonly factor: number | undefined;
}

function growthsOf(parse: (text: string) => unknown, texts: Texts): Record<string, Growth> {
  const growths = Object.entries(texts).map(([name, create]) => [name, growthOf(parse, create)]);
  return Object.fromEntries(growths);
}

function growthOf(parse: (text: string) => unknown, create: (length: number) => string): Growth {
  let best = tryGrowth(parse, create);
  for (let trial = 1; trial < TRIALS && (best.factor ?? 0) > MAX_FACTOR_OF_DOUBLING; trial += 1) {
    const next = tryGrowth(parse, create);
    if ((next.factor ?? 0) < (best.factor ?? 0)) best = next;
  }
  return best;
}

/**
 * Measures both lengths alternately. The growth factor is computed within a round, because the best times of the
 * two lengths may come from different rounds.
 */
function tryGrowth(parse: (text: string) => unknown, create: (length: number) => string): Growth {
  const rounds = Array.from({ length: ROUNDS }, () => ({
    half: cpuMsOf(parse, create(MEBIBYTE / 2)),
    whole: cpuMsOf(parse, create(MEBIBYTE)),
  }));
  const whole = Math.min(...rounds.map((round) => round.whole));
  const factor = median(rounds.map((round) => round.whole / round.half));
  return {
    '512 KiB': Math.min(...rounds.map((round) => round.half)),
    '1 MiB': whole,
    factor: whole < MIN_MS_FOR_GROWTH ? undefined : factor,
  };
}

/**
 * Measures a copy of the text that is one block of memory, like a received text. A concatenated string would cost
 * the parser time to flatten it.
 */
function cpuMsOf(parse: (text: string) => unknown, text: string): number {
  const flat = Buffer.from(text).toString();
  const start = process.cpuUsage();
  parse(flat);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
