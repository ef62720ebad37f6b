import { setFlagsFromString } from 'node:v8';

/** Versions of Node whose V8 knows the flag: another one would say on standard error that it does not. */
const versions = [20, 22, 24];

/**
 * Has V8 make every object a young one. What is in flight while its young generation is still small survives there, and V8
 * takes from that that such objects live long: without this it makes them old, for as long as the process runs, and each
 * request leaves some for a full collection. It counts for the whole process, so a program that embeds the service decides
 * by itself.
 */
export function allocateYoung(): void {
  const version = Number.parseInt(process.versions.node, 10);
  if (versions.includes(version)) setFlagsFromString('--no-allocation-site-pretenuring');
}
