import type { TextSpan } from './outline/reply-outline.js';

/**
 * Characters of a reply from `start` up to `end`, and what they became. `call`: the call as written. `answer`: also the
 * whole of a reply whose action could not be read. `discarded`: what is in no field of the result.
 */
export interface ReplySpan {
  readonly kind: 'reasoning' | 'thought' | 'call' | 'answer' | 'discarded';
  /** In UTF-16 code units. */
  readonly start: number;
  readonly end: number;
}

/** Spans of one kind. */
export const placesOf = (kind: ReplySpan['kind'], spans: readonly TextSpan[]): ReplySpan[] =>
  spans.map(([start, end]) => ({ kind, start, end }));

/** Ordered, and none over another: what two lay claim to stays with the one that began first. */
export function inOrder(spans: readonly ReplySpan[]): ReplySpan[] {
  const ordered: ReplySpan[] = [];
  let done = 0;
  for (const { kind, start, end } of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const from = Math.max(start, done);
    if (from >= end) continue;
    ordered.push({ kind, start: from, end });
    done = end;
  }
  return ordered;
}
