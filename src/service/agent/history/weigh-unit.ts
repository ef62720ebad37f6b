import type { Unit } from '../../../conversation/units.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { TokenCounter } from '../../tokens/token-counter.js';
import type { TaughtProtocol } from '../prompt/render-unit.js';
import { renderUnit } from '../prompt/render-unit.js';
import type { Message, ModelProfile, Part } from '../provider.js';

/** How this request's prompt is counted. */
export interface Scale {
  readonly tokens: TokenCounter;
  readonly framing: ModelProfile['framing'];
  readonly protocol: TaughtProtocol;
  /** Ends counting and rendering with the step. */
  readonly signal: AbortSignal;
}

/** Tokens that a provider's own framing of a call or a result may take: an estimate on the safe side. */
const NATIVE_PART_FRAMING = 12;

/** Tokens that may come or go where two texts meet at white space or `/`; elsewhere the seam is exact. */
const SEAM_SLACK = 4;

/** A unit as it is shown. */
export interface RenderedUnit {
  readonly messages: readonly Message[];
  /** Upper bound of what it adds to a prompt: its messages may still be merged with their neighbours. */
  readonly tokens: number;
}

/** What rendering one unit books of the event loop, so that ten thousand of them do not hold it. */
const RENDERING = 2048;

export async function renderAndWeigh(unit: Unit, scale: Scale): Promise<RenderedUnit> {
  await eventLoopShare.take(RENDERING, scale.signal);
  const messages = renderUnit(unit, scale.protocol);
  const counts = await Promise.all(messages.map((message) => tokensOfMessage(message, scale)));
  const seams = messages.filter(
    ({ parts: [first] }) => first?.type === 'text' && /^[\s/]/.test(first.text),
  ).length;
  return { messages, tokens: counts.reduce((sum, count) => sum + count, seams * SEAM_SLACK) };
}

/** Tokens of a message as it is sent, framing included. */
export async function tokensOfMessage({ parts }: Message, { tokens, framing }: Scale): Promise<number> {
  const runs = textRuns(parts);
  const counts = await Promise.all(runs.map((run) => tokens.countJoined(run)));
  const nativeParts = parts.filter((part) => part.type !== 'text').length;
  return counts.reduce((sum, count) => sum + count, framing.message + nativeParts * NATIVE_PART_FRAMING);
}

/** Texts that are sent as one: neighbouring text parts; everything else stands alone. */
function textRuns(parts: readonly Part[]): string[][] {
  const runs: string[][] = [];
  let open: string[] | undefined;
  for (const part of parts) {
    if (part.type === 'text' && open) open.push(part.text);
    else runs.push(textsOf(part));
    open = part.type === 'text' ? runs.at(-1) : undefined;
  }
  return runs;
}

function textsOf(part: Part): string[] {
  switch (part.type) {
    case 'text':
      return [part.text];
    case 'tool_call':
      return [part.name, JSON.stringify(part.arguments)];
    case 'tool_result':
      return [part.text];
    case 'provider_state':
      return [JSON.stringify(part.state)];
  }
}
