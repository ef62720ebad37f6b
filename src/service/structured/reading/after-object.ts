import { type Discarded, describeDiscarded } from '../../parsing/discarded.js';
import { skipSpace } from '../../parsing/text/characters.js';
import { imaginesTurn, skipChatTokens } from '../../parsing/text/chat-tokens.js';
import { matchMarker } from '../../parsing/text/markers.js';
import { ObjectScanner } from './object-scanner.js';

/**
 * Where prose follows an object that ends at `from`, so that the object was only shown; null where nothing follows but
 * its fence, further objects, chat tokens, and what the model imagines to come next (rule: object-reply).
 */
export function proseAfter(text: string, from: number): number | null {
  for (let at = from; ; ) {
    if (turnAfter(text, at) !== null) return null;
    at = skipFence(text, skipChatTokens(text, at));
    if (at >= text.length || matchMarker(text, at)) return null;
    const end = text.charAt(at) === '{' ? objectEnd(text, at) : null;
    if (end === null) return text.charAt(at) === '{' ? null : at;
    at = end;
  }
}

/** What follows an object, by kind; somebody else's turn is imagined (rule: chat-tokens). */
export function discardedAfter(text: string, from: number): Discarded[] {
  const turn = turnAfter(text, from);
  if (turn === null) return describeDiscarded(text, from);
  return [...describeDiscarded(text.slice(0, turn), from), { kind: 'stop', chars: text.length - turn }];
}

/** Where somebody else's turn opens among the chat tokens at a place. */
function turnAfter(text: string, from: number): number | null {
  const end = skipChatTokens(text, from);
  for (let at = from; at < end; at += 1) if (imaginesTurn(text, at)) return at;
  return null;
}

function skipFence(text: string, from: number): number {
  const at = skipSpace(text, from);
  fence.lastIndex = at;
  return fence.test(text) ? skipFence(text, fence.lastIndex) : at;
}

/** A line that opens or closes a fence. */
const fence = /`{3,}[ \t]{0,16}(?:json)?[ \t]{0,16}(?:\r?\n|$)|`{3,}(?=<)/iy;

function objectEnd(text: string, start: number): number | null {
  const scanner = new ObjectScanner();
  scanner.push(text.slice(start));
  return scanner.end === null ? null : start + scanner.end;
}
