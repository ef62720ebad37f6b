import { setFlagsFromString } from 'node:v8';

/** Versions of Node whose V8 knows the flags: another one would say on standard error that it does not. */
const versions = [20, 22, 24];

/**
 * Has V8 keep what it has compiled, and allocate every object as a young one (`docs/decisions/cost-of-a-step.md`). It counts
 * for the whole process, so a program that embeds the service decides by itself.
 */
export function tuneV8(): void {
  detachOnce();
  const version = Number.parseInt(process.versions.node, 10);
  if (!versions.includes(version)) return;
  setFlagsFromString('--no-allocation-site-pretenuring');
  setFlagsFromString('--no-memory-reducer');
}

/**
 * Until a buffer is detached for the first time, all code that reads one is compiled as if that never happened, and it is
 * discarded when it does: in undici's parser, when the first large answer comes.
 */
function detachOnce(): void {
  const buffer = new ArrayBuffer(1);
  structuredClone(buffer, { transfer: [buffer] });
}
