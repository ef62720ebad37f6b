import { type Observation, observationsOf, type PairedCall, type Unit } from '../../../conversation/units.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import { countNewlines } from '../../context/lines.js';
import { boundMessages, renderUnits, type Scale, weighMessages } from '../prompt/weigh-messages.js';
import type { Message } from '../provider.js';
import type { WeighedUnit } from './fold-history.js';
import { mapStrings, stringsIn } from './json-values.js';

/** A unit with its long texts cut, rendered, and what it weighs at the most. */
export interface CutUnit extends WeighedUnit {
  /** Before its long texts were cut. */
  readonly whole: Unit;
  /** What it weighs is counted, and no bound. */
  readonly isWeighed: boolean;
  readonly messages: readonly Message[];
  /** As a stub; absent if the history fits as it is. */
  readonly maskedMessages?: readonly Message[];
}

/** The largest part of the history's share that an observation may take, or an argument, or a thought (rule: text-share). */
const OBSERVATION_SHARE = 0.25;
const SMALLEST_TEXT = 24;
/** What looking at a unit books of the event loop, and each token of a bound: arguments are written as JSON, texts are measured. */
const UNIT_WORK = 64;
const BOUNDING = 1 / 16;

export async function cutUnits(wholes: readonly Unit[], share: number, scale: Scale): Promise<CutUnit[]> {
  const units: Unit[] = [];
  for (const whole of wholes) {
    const long = longTextsOf(whole, share * OBSERVATION_SHARE, scale);
    units.push(long.length === 0 ? whole : await cutTexts(whole, long, scale));
  }
  const cut: CutUnit[] = [];
  for (const [index, { unit, messages }] of (await renderUnits(units, scale)).entries()) {
    const { tokens: full, isExact: isWeighed } = boundMessages(messages, scale);
    const pause = eventLoopShare.spent(UNIT_WORK + full * BOUNDING, scale.signal);
    if (pause) await pause;
    const whole = wholes[index] ?? unit; // there are as many
    cut.push({ unit, whole, messages, full, masked: full, isWeighed });
  }
  return cut;
}

/** The same units with what they weigh. */
export async function weighUnits(units: readonly CutUnit[], scale: Scale): Promise<readonly CutUnit[]> {
  const weighed: CutUnit[] = [];
  for (const unit of units) weighed.push(unit.isWeighed ? unit : await weighUnit(unit, scale));
  return weighed;
}

async function weighUnit(unit: CutUnit, scale: Scale): Promise<CutUnit> {
  const full = await weighMessages(unit.messages, scale);
  return { ...unit, full, masked: full, isWeighed: true };
}

/** Tokens of units that nothing is cut of. */
export async function weighWholeUnits(units: readonly Unit[], scale: Scale): Promise<number> {
  let tokens = 0;
  for (const { messages } of await renderUnits(units, scale)) tokens += await weighMessages(messages, scale);
  return tokens;
}

/** The same units with their stubs, which only a history that is going to be cut needs. */
export async function maskUnits(units: readonly CutUnit[], scale: Scale): Promise<readonly CutUnit[]> {
  const stubs = await renderUnits(
    units.map(({ unit }) => maskUnit(unit)),
    scale,
  );
  const masked: CutUnit[] = [];
  for (const [index, unit] of units.entries()) {
    const maskedMessages = stubs[index]?.messages ?? []; // there are as many
    masked.push({ ...unit, masked: await weighMessages(maskedMessages, scale), maskedMessages });
  }
  return masked;
}

export function tokensOfUnits(units: readonly WeighedUnit[]): number {
  return units.reduce((sum, { full }) => sum + full, 0);
}

/** Characters of a thought, an argument or an answer that remain in a masked unit. */
const MASKED_CHARACTERS = 160;

/** By the character, never half of one: a list of them would take twenty times as long. */
const startOfLine = new RegExp(`^[^\\n]{0,${MASKED_CHARACTERS}}`, 'u');

/** No token is less than a byte of UTF-8, and no UTF-16 unit more than three. */
const MOST_TOKENS_PER_CHARACTER = 3;

/** A text of a unit that may be longer than the tokens it may take. */
interface LongText {
  readonly text: string;
  readonly most: number;
}

/** Thoughts, string arguments and observations that may be above their part of a limit, each kind with its own. */
function longTextsOf(unit: Unit, limit: number, { margin }: Scale): LongText[] {
  if (unit.type === 'user' || unit.type === 'assistant') return [];
  return textsOf(unit).flatMap((texts) => {
    const most = Math.max(Math.floor(limit / texts.length), SMALLEST_TEXT);
    const long = texts.filter((text) => text.length * MOST_TOKENS_PER_CHARACTER * margin > most);
    return long.map((text) => ({ text, most }));
  });
}

/**
 * A unit with its long texts cut, each by itself: the cut depends on nothing else, so its bytes stay the same in all later
 * steps (rule: text-share). The very unit if all of them fit.
 */
async function cutTexts(unit: Unit, long: readonly LongText[], { tokens }: Scale): Promise<Unit> {
  if (unit.type === 'user' || unit.type === 'assistant') return unit;
  const cuts = new Map<string, string>();
  for (const { text, most } of long) {
    const shown = (await cutLines({ text }, most, tokens))?.text ?? stub(text);
    if (shown !== text) cuts.set(text, shown);
  }
  return cuts.size === 0 ? unit : replaceTexts(unit, (text) => cuts.get(text) ?? text);
}

type UnitOfCalls = Extract<Unit, { type: 'action' | 'stray_observation' }>;

function replaceTexts(unit: UnitOfCalls, replace: (text: string) => string): Unit {
  if (unit.type === 'stray_observation')
    return { ...unit, observation: replaceIn(unit.observation, replace) };
  const calls = unit.calls.map((call) => replaceInCall(call, replace, replace));
  return { ...unit, thought: replace(unit.thought), calls };
}

/** The unit as a stub: what was done stays, shortened; what it returned is one line. */
function maskUnit(unit: Unit): Unit {
  switch (unit.type) {
    case 'user':
    case 'assistant':
      return { ...unit, content: shorten(unit.content) };
    case 'stray_observation':
      return { ...unit, observation: replaceIn(unit.observation, stub) };
    case 'action':
      return {
        ...unit,
        thought: shorten(unit.thought),
        calls: unit.calls.map((call) => replaceInCall(call, shorten, stub)),
        providerState: undefined,
      };
  }
}

/** A text as one line that says what stood there. */
export function stub(text: string): string {
  const lines = countNewlines(text) + 1;
  if (text.length <= MASKED_CHARACTERS && lines === 1) return text;
  return `[${lines} ${lines === 1 ? 'line' : 'lines'}, ${text.length} characters left out; call the tool again to see them]`;
}

function shorten(text: string): string {
  const kept = startOfLine.exec(text)?.[0] ?? '';
  return kept === text ? text : `${kept} […]`;
}

/** The texts that may be long, by kind: thought, arguments, observations. */
function textsOf(unit: UnitOfCalls): string[][] {
  if (unit.type === 'stray_observation') return [[unit.observation.text]];
  const parameters = unit.calls.flatMap((call) => stringsIn(call.parameters));
  const long = parameters.filter((text) => text.length > MASKED_CHARACTERS);
  return [[unit.thought], long, observationsOf(unit).map(({ text }) => text)];
}

function replaceInCall(
  call: PairedCall,
  inParameters: (text: string) => string,
  inObservation: (text: string) => string,
): PairedCall {
  const parameters = mapStrings(call.parameters, inParameters) as PairedCall['parameters']; // an object stays one
  const { observation } = call;
  return { ...call, parameters, ...(observation && { observation: replaceIn(observation, inObservation) }) };
}

function replaceIn(observation: Observation, replace: (text: string) => string): Observation {
  return { ...observation, text: replace(observation.text) };
}
