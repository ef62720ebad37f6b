import { OfferedTools } from './arguments/offered-tool.js';
import { Reply } from './reply.js';

const noTools = new OfferedTools([]);

/** A text that is not read for actions, such as a summary: all of it, without reasoning and a leading `Thought:`. */
export function readProse(text: string): string {
  return new Reply(text, noTools).whole().trim();
}
