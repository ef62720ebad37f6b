import {
  type ActionUnit,
  type Observation,
  observationsOf,
  type PairedCall,
  type Unit,
} from '../../../conversation/units.js';
import { cutLines } from '../../context/cutting/cut-lines.js';
import { countNewlines } from '../../context/lines.js';
import { renderUnit } from '../prompt/render-unit.js';
import { type Scale, weighMessages } from '../prompt/weigh-messages.js';
import type { Message } from '../provider.js';
import { attachmentsIn, leaveOut, leftOutNote, shownOf, withoutAttachments } from './attachments.js';
import type { FoldedUnit, WeighedUnit } from './fold-history.js';
import { mapStrings, stringsIn } from './json-values.js';
import { withoutStates } from './provider-state.js';

/** A unit with its long texts cut, rendered as messages. */
export interface CutUnit extends WeighedUnit {
  /** The unit before its long texts were cut. */
  readonly whole: Unit;
  readonly messages: readonly Message[];
  /** Upper bound of the tokens of the placeholders for all its attachments. `full` includes them. */
  readonly placeholders: number;
  /** The messages of the masked unit; undefined if the history needs no masking. */
  readonly maskedMessages?: readonly Message[];
}

/**
 * Maximum part of the history's tokens for each kind of text in a unit: observations, arguments, thought (rule:
 * text-share).
 */
const OBSERVATION_SHARE = 0.25;
const MIN_TEXT_TOKENS = 24;
/** Maximum part of the history's tokens for the definitions that were found in one step (rule: found-tools). */
const DEFINITIONS_SHARE = 0.5;

/** Cuts the long texts of each unit without regard to the other units, then renders the unit and counts its tokens. */
export async function cutUnits(units: readonly Unit[], available: number, scale: Scale): Promise<CutUnit[]> {
  const cut: CutUnit[] = [];
  for (const whole of units) {
    const shortened = await cutTexts(whole, available * OBSERVATION_SHARE, scale);
    const unit = await cutDefinitions(shortened, available * DEFINITIONS_SHARE, scale);
    const messages = renderUnit(unit, scale.protocol);
    const placeholders = await weighPlaceholders(unit, scale);
    const full = (await weighMessages(messages, scale)) + placeholders;
    const attachments = attachmentsIn(unit)
      .flatMap(shownOf)
      .map(({ tokens }) => tokens);
    cut.push({ whole, unit, messages, full, masked: full, placeholders, attachments });
  }
  return cut;
}

/** Returns the maximum number of tokens that placeholders for attachments may add to a unit. */
async function weighPlaceholders(unit: Unit, { tokens }: Scale): Promise<number> {
  let sum = 0;
  for (const { all } of attachmentsIn(unit))
    sum += await tokens.count(leftOutNote({ all, leftOut: all.length }));
  return sum;
}

/** Adds the masked form to each unit. Called only if the history is too long. */
export async function maskUnits(units: readonly CutUnit[], scale: Scale): Promise<CutUnit[]> {
  const masked: CutUnit[] = [];
  for (const unit of units) {
    const maskedMessages = renderUnit(maskUnit(unit.unit), scale.protocol);
    masked.push({ ...unit, masked: await weighMessages(maskedMessages, scale), maskedMessages });
  }
  return masked;
}

/** Returns the tokens of all units together if none of them is cut. */
export async function weighWholeUnits(units: readonly Unit[], scale: Scale): Promise<number> {
  let tokens = 0;
  for (const unit of units) {
    tokens += await weighMessages(renderUnit(unit, scale.protocol), scale);
  }
  return tokens;
}

/** Returns the messages of a unit in its form. */
export function messagesOf(
  { weighed, form, leftOut }: FoldedUnit<CutUnit>,
  { protocol }: Scale,
): readonly Message[] {
  const { unit, messages, maskedMessages } = weighed;
  if (form === 'dropped') return [];
  if (form === 'masked' && maskedMessages) return maskedMessages;
  return leftOut === 0 ? messages : renderUnit(leaveOut(unit, leftOut), protocol);
}

export function tokensOfUnits(units: readonly WeighedUnit[]): number {
  return units.reduce((sum, { full }) => sum + full, 0);
}

/**
 * Upper bound of the tokens of one UTF-16 unit, which takes at most three bytes of UTF-8. Each token is at least one
 * byte.
 */
const MAX_TOKENS_PER_CHARACTER = 3;

/**
 * Cuts the long texts of a unit to `limit` tokens for each kind: thought, arguments, observations. Each cut
 * depends only on the text and the limit, so it is the same in all later steps (rule: text-share). Returns the
 * same object if everything fits.
 */
async function cutTexts(unit: Unit, limit: number, { tokens, margin }: Scale): Promise<Unit> {
  if (unit.type === 'user' || unit.type === 'assistant') return unit;
  const cuts = new Map<string, string>();
  for (const texts of textsByKind(unit)) {
    const maxTokens = Math.max(Math.floor(limit / texts.length), MIN_TEXT_TOKENS);
    for (const text of texts) {
      if (text.length * MAX_TOKENS_PER_CHARACTER * margin <= maxTokens) continue; // fits for certain
      const kept = (await cutLines({ text }, { tokens: maxTokens, counter: tokens }))?.text ?? stub(text);
      if (kept !== text) cuts.set(text, kept);
    }
  }
  return cuts.size === 0 ? unit : replaceTexts(unit, (text) => cuts.get(text) ?? text);
}

/** Keeps as many of the tool definitions found in the unit as fit into `limit` tokens, starting with the first. */
async function cutDefinitions(unit: Unit, limit: number, { tokens }: Scale): Promise<Unit> {
  if (unit.type !== 'action' || !observationsOf(unit).some(({ found }) => found)) return unit;
  let left = limit;
  const calls: PairedCall[] = [];
  for (const call of unit.calls) {
    let shown = 0;
    for (const definition of call.observation?.found?.definitions ?? []) {
      left -= await tokens.count(definition);
      if (left < 0) break;
      shown += 1;
    }
    calls.push(showDefinitions(call, shown));
  }
  return { ...unit, calls };
}

function showDefinitions(call: PairedCall, shown: number): PairedCall {
  const { observation } = call;
  if (!observation?.found || observation.found.shown === shown) return call;
  return { ...call, observation: { ...observation, found: { ...observation.found, shown } } };
}

type UnitOfCalls = Extract<Unit, { type: 'action' | 'stray_observation' }>;

/** Returns the texts that may be long, by kind: thought, arguments, observations. */
function textsByKind(unit: UnitOfCalls): string[][] {
  if (unit.type === 'stray_observation') return [[unit.observation.text]];
  const parameters = unit.calls.flatMap((call) => stringsIn(call.parameters));
  const long = parameters.filter((text) => text.length > MAX_MASKED_CHARACTERS);
  return [[unit.thought], long, observationsOf(unit).map(({ text }) => text)];
}

function replaceTexts(unit: UnitOfCalls, replace: (text: string) => string): Unit {
  if (unit.type === 'stray_observation')
    return { ...unit, observation: replaceIn(unit.observation, replace) };
  const calls = unit.calls.map((call) => replaceInCall(call, replace, replace));
  return { ...unit, thought: replace(unit.thought), calls };
}

/** Maximum length of a thought, an argument or an answer in a masked unit. */
const MAX_MASKED_CHARACTERS = 160;

/**
 * Matches the first characters of a line without splitting a code point. Splitting the text into a list of code
 * points would take twenty times as long.
 */
const startOfLine = new RegExp(`^[^\\n]{0,${MAX_MASKED_CHARACTERS}}`, 'u');

/**
 * Masks a unit: shortens its thought, arguments and answers, replaces each observation by one line, and leaves out
 * its attachments.
 */
function maskUnit(whole: Unit): Unit {
  const unit = withoutAttachments(whole);
  switch (unit.type) {
    case 'user':
      return { ...unit, content: keepLineStart(unit.content) };
    case 'assistant':
      return { ...unit, content: keepLineStart(unit.content), providerState: undefined };
    case 'stray_observation':
      return { ...unit, observation: replaceIn(unit.observation, stub) };
    case 'action':
      return maskAction(unit);
  }
}

function maskAction(unit: ActionUnit): ActionUnit {
  const thought = keepLineStart(unit.thought);
  const calls = unit.calls.map((call) => showDefinitions(replaceInCall(call, keepLineStart, stub), 0));
  return withoutStates({ ...unit, thought, calls });
}

/** Replaces a text by one line that states its size. Returns a short single line unchanged. */
export function stub(text: string): string {
  const lines = countNewlines(text) + 1;
  if (text.length <= MAX_MASKED_CHARACTERS && lines === 1) return text;
  return `[${lines} ${lines === 1 ? 'line' : 'lines'}, ${text.length} characters left out; call the tool again to see them]`;
}

function keepLineStart(text: string): string {
  const kept = startOfLine.exec(text)?.[0] ?? '';
  return kept === text ? text : `${kept} […]`;
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
