/**
 * Text of a model, a tool or a file without what would act on the terminal: control characters other than line
 * break and tab, and marks that turn the direction of writing (they can make a command look like another).
 */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unsafe, '�');
}

/** The same on one line, for what must not begin another. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/[\n\t]+/g, ' ');

/** JSON that does not act on a terminal either, and reads back as the very same value. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(unsafe, escaped);
}

const unsafe = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
