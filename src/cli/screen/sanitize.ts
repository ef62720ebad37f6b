/**
 * Text of a model, a tool or a file without what would act on the terminal: control characters other than line
 * break and tab, and marks that turn the direction of writing (they can make a command look like another).
 */
export function sanitize(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unsafe, '�');
}

/** The same on one line, for what must not begin another. */
export const sanitizeLine = (text: string): string => sanitize(text).replace(/[\n\t]+/g, ' ');

/**
 * The same for what a person is to agree to: what cannot be seen, or looks like a space and is none, stands there
 * by its number, as in `ls<U+3164>src`.
 */
export const showInvisible = (text: string): string =>
  sanitize(text).replace(invisible, (character) => `<U+${hex(character.codePointAt(0) ?? 0)}>`);

const hex = (code: number): string => code.toString(16).toUpperCase().padStart(4, '0');

/** JSON that does not act on a terminal either and hides nothing, and reads back as the very same value. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return JSON.stringify(value).replace(unsafe, escaped).replace(invisible, escaped);
}

const unsafe = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** U+2800 is a symbol by its category, and blank. */
const invisible = /[\p{Cf}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;
