import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');

/** Collects all garbage at once, so that a test sees what the program still holds. */
export const collectGarbage: () => void = runInNewContext('gc');
