import { matchMarker } from './text/markers.js';
import { lineEnd, skipSpace } from './text/scanner.js';
import { skipClosers, stopTokenAt, trimEnd } from './text/trailing.js';

/** Text that is in no field: what follows an action, prose before a labelled answer, stop words. */
export interface Discarded {
  readonly kind: DiscardedKind;
  readonly chars: number;
}
export type DiscardedKind = 'text' | 'thought' | 'action' | 'observation' | 'answer' | 'stop' | 'preamble';

const kinds = {
  action_input: 'action',
  action: 'action',
  thought: 'thought',
  observation: 'observation',
  answer: 'answer',
} as const;

/** Counts by kind what stands behind an action; white space and the call's own wrapping do not count. */
export function describeDiscarded(text: string, from: number): Discarded[] {
  const counts = new Map<DiscardedKind, number>();
  const add = (kind: DiscardedKind, chars: number): void => {
    if (chars > 0) counts.set(kind, (counts.get(kind) ?? 0) + chars);
  };
  const { end, stop } = trimEnd(text, from);
  let kind: DiscardedKind = 'text';
  for (let start = skipWrapping(text, from); start < end; ) {
    const marker = matchMarker(text, start);
    if (marker && marker !== 'partial') kind = kinds[marker.label];
    const lineStop = Math.min(lineEnd(text, start), end);
    add(kind, text.slice(start, lineStop).trim().length);
    start = lineStop + 1;
  }
  add('stop', stop);
  return [...counts].map(([each, chars]) => ({ kind: each, chars }));
}

/** Past what closes the wrapping of the call: backticks, a fence, `;`. */
function skipWrapping(text: string, from: number): number {
  const at = skipSpace(text, skipClosers(text, from));
  if (!text.startsWith('```', at)) return stopTokenAt(text, at) ? at : skipClosers(text, from);
  return skipClosers(text, at + 3);
}
