import { setFlagsFromString } from 'node:v8';

/** Versions of Node whose V8 knows the flags: another one would say on standard error that it does not. */
const versions = [20, 22, 24];

/** Its largest: 25 days. */
const LONG_MS = 2 ** 31 - 1;

/**
 * Has V8 keep what it has compiled, and allocate every object as a young one (`docs/decisions/cost-of-a-step.md`). It counts
 * for the whole process, so a program that embeds the service decides by itself. To be called before anything is loaded: what
 * a first full collection has set off goes on.
 */
export function tuneV8(): void {
  detachOnce();
  const version = Number.parseInt(process.versions.node, 10);
  if (!versions.includes(version)) return;
  setFlagsFromString('--no-allocation-site-pretenuring');
  // V8 reads --no-memory-reducer before any program runs.
  setFlagsFromString(`--gc-memory-reducer-start-delay-ms=${LONG_MS}`);
}

/**
 * Gives back what loading took, once, since V8, told so, no longer does it by itself: two full collections, which hold the event
 * loop for some 50 ms. Where Node has no inspector, or may not use it, nothing is given back.
 */
export async function giveBackMemory(): Promise<void> {
  try {
    const { Session } = await import('node:inspector/promises');
    const session = new Session();
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
    session.disconnect();
  } catch {
    // The memory is missed only by whoever measures it.
  }
}

/**
 * Until a buffer is detached for the first time, all code that reads one is compiled as if that never happened, and it is
 * discarded when it does: in undici's parser, when the first large answer comes.
 */
function detachOnce(): void {
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
}
