import type { Message } from '../agent/provider.js';

/** Keeps the last `most` cache breakpoints of the messages: both vendors take four, and later ones cover more. */
export function limitBreakpoints(messages: readonly Message[], most: number): readonly Message[] {
  let surplus = messages.flatMap(({ parts }) => parts).filter(hasBreakpoint).length - most;
  if (surplus <= 0) return messages;
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map((part) => {
      if (!hasBreakpoint(part) || surplus <= 0) return part;
      surplus -= 1;
      return { ...part, breakpoint: false };
    }),
  }));
}

const hasBreakpoint = (part: Message['parts'][number]): boolean =>
  'breakpoint' in part && part.breakpoint === true;
