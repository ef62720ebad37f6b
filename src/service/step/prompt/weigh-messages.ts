import type { Unit } from '../../../conversation/units.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import type { DigestedText } from '../../../tokens/text-memo.js';
import type { Bound, TokenCounter } from '../../../tokens/token-counter.js';
import type { Message, ModelProfile, Part } from '../provider.js';
import type { PromptDependencies } from '../step-dependencies.js';
import { renderUnit, type TaughtProtocol } from './render-unit.js';

/** How this request's prompt is counted. */
export interface Scale {
  readonly tokens: TokenCounter;
  readonly framing: ModelProfile['framing'];
  readonly margin: ModelProfile['countMargin'];
  readonly protocol: TaughtProtocol;
  /** Ends counting and rendering with the step. */
  readonly signal: AbortSignal;
}

export function scaleOf(
  { tokens, profile, deadline }: Pick<PromptDependencies, 'tokens' | 'profile' | 'deadline'>,
  protocol: TaughtProtocol,
): Scale {
  const { framing, countMargin: margin } = profile;
  return { tokens, framing, margin, protocol, signal: deadline.signal };
}

/** Tokens that a provider's own framing of a call or a result may take: an estimate on the safe side. */
const NATIVE_PART_FRAMING = 12;

/** Tokens that may come or go where two texts meet at white space or `/`; elsewhere the seam is exact. */
const SEAM_SLACK = 4;

/** A unit as it is shown. */
interface RenderedUnit {
  readonly unit: Unit;
  readonly messages: readonly Message[];
}

/** What rendering a unit books of the event loop: so much for each, and for each character. */
const RENDERING = 256;
const WRITING = 1 / 8;

/**
 * Units as they are shown, one after another: all at once, a long history would hold the event loop. Nothing is awaited for
 * a unit that came before, in this step or an earlier one: to wait costs as much as to render it.
 */
export async function renderUnits(units: readonly Unit[], scale: Scale): Promise<RenderedUnit[]> {
  const rendered: RenderedUnit[] = [];
  for (const unit of units) {
    const messages = renderUnit(unit, scale.protocol);
    const pause = eventLoopShare.take(RENDERING + WRITING * charactersOf(messages), scale.signal);
    if (pause) await pause;
    rendered.push({ unit, messages });
  }
  return rendered;
}

/** Tokens that a unit's messages add to a prompt at the most: they may still be merged with their neighbours. */
export async function weighMessages(messages: readonly Message[], scale: Scale): Promise<number> {
  let tokens = await tokensOfMessages(messages, scale);
  for (const message of messages) tokens += seamOf(message);
  return tokens;
}

/** No less than `weighMessages` comes to, without counting. */
export function boundMessages(messages: readonly Message[], { tokens, framing }: Scale): Bound {
  let most = 0;
  let isExact = true;
  for (const message of messages) {
    most += seamOf(message) + framing.message;
    for (const { texts, framing: own } of textsOf(message.parts)) {
      const bound = tokens.atMost(texts);
      most += own + bound.tokens;
      isExact &&= bound.isExact;
    }
  }
  return { tokens: most, isExact };
}

function seamOf({ parts: [first] }: Message): number {
  return first?.type === 'text' && !first.digest && /^[\s/]/.test(first.text) ? SEAM_SLACK : 0;
}

function charactersOf(messages: readonly Message[]): number {
  let characters = 0;
  for (const { parts } of messages) {
    for (const part of parts) {
      if ('text' in part) characters += part.text.length;
      else if (part.type === 'provider_state') characters += stateText(part).length;
    }
  }
  return characters;
}

/** What adding up a message books of the event loop: its texts have been counted already. */
const ADDING = 64;

/** Tokens of messages as they are sent, framing included. */
export async function tokensOfMessages(messages: readonly Message[], scale: Scale): Promise<number> {
  let tokens = 0;
  for (const message of messages) {
    const pause = eventLoopShare.take(ADDING, scale.signal);
    if (pause) await pause;
    tokens += recallTokens(message, scale) ?? (await countTokens(message, scale));
  }
  return tokens;
}

/** Undefined if anything in it has to be counted. */
function recallTokens({ parts }: Message, { tokens, framing }: Scale): number | undefined {
  let sum = framing.message;
  for (const { texts, framing: own } of textsOf(parts)) {
    const known = tokens.recall(texts);
    if (known === undefined) return undefined;
    sum += own + known;
  }
  return sum;
}

async function countTokens({ parts }: Message, { tokens, framing }: Scale): Promise<number> {
  let sum = framing.message;
  for (const { texts, framing: own } of textsOf(parts)) sum += own + (await tokens.countJoined(texts));
  return sum;
}

/** Texts that are sent as one, and the tokens of what stands around them. */
interface SentTexts {
  readonly texts: readonly DigestedText[];
  readonly framing: number;
}

/** Neighbouring texts are sent as one; everything else stands alone. */
function textsOf(parts: readonly Part[]): SentTexts[] {
  if (parts.every(isText)) return [{ texts: parts, framing: 0 }]; // as in most messages
  const sent: { texts: DigestedText[]; framing: number }[] = [];
  parts.forEach((part, index) => {
    if (part.type !== 'text') sent.push({ texts: wordsOf(part), framing: NATIVE_PART_FRAMING });
    else if (parts[index - 1]?.type === 'text') sent.at(-1)?.texts.push(part);
    else sent.push({ texts: [part], framing: 0 });
  });
  return sent;
}

function isText(part: Part): part is Extract<Part, { type: 'text' }> {
  return part.type === 'text';
}

/** Opaque blocks as JSON. */
export const stateText = ({ state }: Extract<Part, { type: 'provider_state' }>): string =>
  JSON.stringify(state);

/** What a part that is no text is counted by. */
function wordsOf(part: Exclude<Part, { type: 'text' }>): DigestedText[] {
  switch (part.type) {
    case 'tool_call':
      return [{ text: part.name }, { text: JSON.stringify(part.arguments) }];
    case 'tool_result':
      return [part];
    case 'provider_state':
      return [{ text: stateText(part) }];
  }
}
