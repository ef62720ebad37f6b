import { spellUnseen } from 'stepwise';

/** In characters: a message of the editor is a line or two. */
export const MAX_MESSAGE_LENGTH = 300;

/**
 * A text that others wrote, for a message of the editor: there `[words](command:…)` would be a link that runs any command
 * of the editor, and a line break or a turned direction could make the message say something else.
 */
export function inMessage(text: string): string {
  const short = text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
  return seen(short)
    .replace(/[\n\t]/g, MARK)
    .replaceAll('](', '] (');
}

/** Marks each character that would not be seen in a text of several lines that others wrote. */
export const seen = (text: string): string => spellUnseen(text, () => MARK);

const MARK = '\uFFFD';
