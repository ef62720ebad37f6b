/** In characters: a message of the editor is a line or two. */
export const MAX_MESSAGE_LENGTH = 300;

/** What is not seen, or turns the text around it. */
const unseen = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Z}/gu;

/**
 * A text that others wrote, for a message of the editor: there `[words](command:…)` would be a link that runs any command
 * of the editor, and a line break or a turned direction could make the message say something else.
 */
export function inMessage(text: string): string {
  const short = text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
  return marked(short).replaceAll('](', '] (');
}

/** A text of several lines that others wrote, with a mark for each character that would not be seen. */
export const seen = (text: string): string => text.replace(/[^\n\t]+/g, marked);

const marked = (text: string): string => text.replace(unseen, '\uFFFD');
