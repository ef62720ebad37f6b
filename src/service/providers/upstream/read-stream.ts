import type { EventSourceMessage } from 'eventsource-parser';
import { type Completion, type CompletionEvent, ProviderError } from '../../step/provider.js';
import type { TextDelta, VendorReply } from '../vendor.js';
import { FailedAttempt } from './attempts.js';
import type { ReplyCap } from './reply-cap.js';

/**
 * Maximum silence of a stream after its finish reason, because some servers then neither send an end mark nor
 * close the connection.
 */
const SILENCE_MS = 2_000;

/**
 * Maximum wait for the stream to end after its end mark. Only a stream that is read to its end leaves its
 * connection reusable.
 */
const END_GRACE_MS = 100;

export interface StreamedAnswer {
  readonly provider: string;
  readonly events: AsyncIterator<EventSourceMessage>;
  readonly reply: VendorReply;
  readonly cap: ReplyCap;
  /** Returns the completion of the reply that was read. */
  completion(): Completion;
  /** Aborts the provider call, unless the stream was read to its end. */
  close(): void;
  /** Returns the error to throw for an event that is not part of a completion. */
  failureOf(event: EventSourceMessage): Error;
}

/**
 * Reads a streamed reply: its text as it arrives, then the completion. A reply with a finish reason is complete
 * even if the stream ends, breaks, falls silent or continues with an error or an unreadable event
 * (rule: finish-reason). A reply that reached its maximum length is complete too (rule: reply-cap).
 */
export async function* readStream({
  provider,
  events,
  reply,
  cap,
  completion,
  close,
  failureOf,
}: StreamedAnswer): AsyncGenerator<CompletionEvent, undefined> {
  const texts = new WholeCharacters();
  let endsAt = Number.POSITIVE_INFINITY;
  while (!cap.isExceeded && performance.now() < endsAt) {
    const event = await nextBefore(endsAt, events);
    if (!event) break;
    if (reply.hasEnded || event.event === 'ping' || event.data.trim() === '') continue;
    const { isFinished } = reply;
    const deltas = event.event === 'error' ? undefined : reply.addEvent(event.data);
    if (!deltas && isFinished) break;
    if (!deltas) throw failureOf(event);
    yield* deltas.map((delta) => texts.next(delta)).filter(({ delta }) => delta !== '');
    endsAt = performance.now() + allowedSilence(reply);
  }
  close();
  if (!reply.hasBegun) throw new ProviderError('invalid_response', { provider, upstreamStatus: 200 });
  const isComplete = reply.isFinished || reply.hasEnded || cap.isExceeded;
  if (!isComplete) throw new ProviderError('unreachable', { provider });
  yield { type: 'completion', completion: completion() };
}

/**
 * Holds back the first half of a surrogate pair at the end of a delta until the other half has arrived, because some
 * gateways cut a text between two UTF-16 units. A half without the other is replaced, as in the completion.
 */
class WholeCharacters {
  readonly #held = { text: '', reasoning: '' };

  next({ type, delta }: TextDelta): TextDelta {
    const text = this.#held[type] + delta;
    const isCut = isFirstHalf(text.charCodeAt(text.length - 1));
    this.#held[type] = isCut ? text.slice(-1) : '';
    return { type, delta: (isCut ? text.slice(0, -1) : text).toWellFormed() };
  }
}

const isFirstHalf = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

function allowedSilence({ hasEnded, isFinished }: VendorReply): number {
  if (hasEnded) return END_GRACE_MS;
  return isFinished ? SILENCE_MS : Number.POSITIVE_INFINITY;
}

/**
 * Returns the next event, or undefined at the end of the stream. If a time limit is given, also returns undefined
 * when the limit is reached or the connection breaks.
 */
async function nextBefore(
  endsAt: number,
  events: AsyncIterator<EventSourceMessage>,
): Promise<EventSourceMessage | undefined> {
  const next = events.next();
  if (endsAt === Number.POSITIVE_INFINITY) return eventOf(await next);
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, endsAt - performance.now(), undefined);
  });
  try {
    return eventOf(await Promise.race([next, time]));
  } catch (error) {
    if (error instanceof FailedAttempt) return undefined;
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const eventOf = <Value>(result: IteratorResult<Value, unknown> | undefined): Value | undefined =>
  result && !result.done ? result.value : undefined;
