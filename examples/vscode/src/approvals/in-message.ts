import { spellUnseen } from 'stepwise';

/** Maximum length in characters; the editor's messages have room for a line or two. */
export const MAX_MESSAGE_LENGTH = 300;

/**
 * Escapes untrusted text for an editor message, in which `[words](command:…)` would be a link that runs a command, and
 * line breaks or direction overrides could change the meaning.
 */
export function inMessage(text: string): string {
  const short = text.length > MAX_MESSAGE_LENGTH ? `${text.slice(0, MAX_MESSAGE_LENGTH)}…` : text;
  return seen(short)
    .replace(/[\n\t]/g, MARK)
    .replaceAll('](', '] (');
}

/** Replaces each invisible character of an untrusted text by a visible one. Line breaks and tabs stay. */
export const seen = (text: string): string => spellUnseen(text, () => MARK);

const MARK = '\uFFFD';
