import { type Discarded, discardedInSlices } from '../../parsing/discarded.js';
import { SLICE, type Sliced } from '../../parsing/slices.js';
import { skipSpace } from '../../parsing/text/characters.js';
import { chatTokenAt, imaginesTurn } from '../../parsing/text/chat-tokens.js';
import { matchMarker } from '../../parsing/text/markers.js';
import { ObjectScanner } from '../scanning/object-scanner.js';

/**
 * Where prose follows an object that ends at `from`, so that the object was only shown; null where nothing follows but
 * its fence, further objects, chat tokens, and what the model imagines to come next (rule: object-reply).
 */
export function* proseAfter(text: string, from: number): Sliced<number | null> {
  let paused = from;
  for (let at = from; ; ) {
    const { turn, end } = yield* skipTokens(text, at);
    if (turn !== null) return null;
    at = skipFences(text, end);
    if (at >= text.length || matchMarker(text, at)) return null;
    if (text.charAt(at) !== '{') return at;
    const next = yield* objectEnd(text, at);
    if (next === null) return null;
    at = next;
    if (at - paused >= PAUSE) {
      yield at - paused;
      paused = at;
    }
  }
}

/** What follows an object, by kind; somebody else's turn is imagined (rule: chat-tokens). */
export function* discardedAfter(text: string, from: number): Sliced<Discarded[]> {
  const { turn, end, chars } = yield* skipTokens(text, from);
  if (turn !== null) {
    const before = yield* discardedInSlices(text.slice(0, turn), from);
    return [...before, { kind: 'stop', chars: text.length - turn }];
  }
  if (skipSpace(text, end) >= text.length) return [{ kind: 'stop', chars }];
  return yield* discardedInSlices(text, from);
}

/** Small pieces take long to tell apart. */
const PAUSE = SLICE / 8;

/** Past chat tokens and the white space between them; `turn` is where somebody else's begins among them. */
function* skipTokens(
  text: string,
  from: number,
): Sliced<{ readonly turn: number | null; readonly end: number; readonly chars: number }> {
  let [end, chars, booked] = [from, 0, 0];
  for (;;) {
    const at = skipSpace(text, end);
    const token = chatTokenAt(text, at);
    if (!token) return { turn: null, end, chars };
    if (imaginesTurn(text, at)) return { turn: at, end, chars };
    end = at + token.length;
    chars += token.length;
    if (chars - booked < PAUSE) continue;
    yield chars - booked;
    booked = chars;
  }
}

function skipFences(text: string, from: number): number {
  for (let at = skipSpace(text, from); ; at = skipSpace(text, fence.lastIndex)) {
    fence.lastIndex = at;
    if (!fence.test(text)) return at;
  }
}

/** A line that opens or closes a fence. */
const fence = /`{3,}[ \t]{0,16}(?:json)?[ \t]{0,16}(?:\r?\n|$)|`{3,}(?=<)/iy;

function* objectEnd(text: string, start: number): Sliced<number | null> {
  const scanner = new ObjectScanner();
  for (let at = start; at < text.length && scanner.end === null; at += SLICE) {
    if (at > start) yield SLICE;
    scanner.push(text.slice(at, at + SLICE));
  }
  return scanner.end === null ? null : start + scanner.end;
}
