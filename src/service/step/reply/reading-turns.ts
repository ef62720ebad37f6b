import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { inTurns, type Sliced } from '../../../parsing/slices.js';

/** What reading a character books of the event loop (rule: loop-share). */
const READING = 4;

/** Books the reading of a text that comes next. Throws the signal's reason once it is aborted. */
export const takeReading = (characters: number, signal?: AbortSignal): Promise<void> | undefined =>
  eventLoopShare.take(READING * characters, signal);

/** Books what has been read: if that was much, what comes next has a turn of its own. */
export const bookReading = (characters: number): Promise<void> | undefined =>
  eventLoopShare.spent(READING * characters);

/** Reads however long a text, while others have their turns. */
export const readInTurns = <Result>(work: Sliced<Result>): Promise<Result> => inTurns(work, bookReading);
