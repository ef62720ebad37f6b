import { oneLine } from '../../../conversation/task-list.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';

/** Characters that are put on one line at a time. */
const SLICE = 8 * 1024;
/** What one of them books of the event loop, if every second one is a line break. */
const JOINING = 4;

/** The same as `oneLine`, for a text of any length, and no further than the signal allows (rule: loop-share). */
export async function oneLineInShares(text: string, signal: AbortSignal | undefined): Promise<string> {
  const slices: string[] = [];
  let endsInSpace = false;
  for (let at = 0; at < text.length; at += SLICE) {
    await eventLoopShare.take(JOINING * Math.min(SLICE, text.length - at), signal);
    const slice = oneLine(text.slice(at, at + SLICE));
    slices.push(endsInSpace && slice.startsWith(' ') ? slice.slice(1) : slice);
    endsInSpace = slice.endsWith(' ');
  }
  return slices.join('');
}
