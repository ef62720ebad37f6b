import { spellUnseen } from '../../sdk/base/unseen.js';

/**
 * For what is only read: answers, thoughts, observations. Nothing acts on the terminal and nothing is hidden: a
 * character without a shape stands there by its number, as in `ls<U+200B>src`. What real writing needs stays: joiners
 * and variation selectors after a visible character that is not ASCII (Persian, Hindi, emoji), marks of direction
 * on a line with letters of a right-to-left script. In ASCII alone nothing can hide (rule: terminal).
 */
export const showText = (text: string): string =>
  withoutActing(text)
    .split('\n')
    .map((line) => line.replace(rightToLeft.test(line) ? hiddenInRightToLeft : hidden, inBrackets))
    .join('\n');

/**
 * For what a person agrees to, and for what names something: proposals, calls, rules, paths, errors. All that
 * cannot be seen, or looks like a space and is none, stands there by its number.
 */
export const showExact = (text: string): string => inBrackets(withoutActing(text).toWellFormed());

/** The same on one line, for what must not begin another. */
export const showTextLine = (text: string): string => oneLine(showText(text));
export const showExactLine = (text: string): string => oneLine(showExact(text));

/** JSON that does not act on a terminal either and hides nothing, and reads back as the very same value. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const json = JSON.stringify(value).replace(acting, escaped);
  return spellUnseen(json, (_, character) => escaped(character));
}

const inBrackets = (text: string): string => spellUnseen(text, (code) => `<${code}>`);

const oneLine = (text: string): string => text.replace(/[\n\t]+/g, ' ');

const withoutActing = (text: string): string => text.replace(/\r\n/g, '\n').replace(acting, '�');

/** Controls but line break and tab, other breaks of a line, and what turns or sets apart the direction of others. */
const acting = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Formats by their category that have a shape: signs of Arabic, Syriac and Kaithi. */
const SHAPED = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;
const VISIBLE = String.raw`(?![\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}])[^\0-\x7f]`;
/** One after each visible character: a heart with its selector may be joined to the next, a digit framed. */
const JOINING = String.raw`(?<=${VISIBLE}\ufe0f?)[\u200c\u200d]|(?<=${VISIBLE})[\ufe00-\ufe0f]|\ufe0f(?=\u20e3)`;
const DIRECTION = String.raw`[\u061c\u200e\u200f]`;

const hiddenBut = (kept: string): RegExp =>
  new RegExp(String.raw`(?!${kept})[\p{Cf}\p{Default_Ignorable_Code_Point}]`, 'gu');
const hidden = hiddenBut(`${SHAPED}|${JOINING}`);
const hiddenInRightToLeft = hiddenBut(`${SHAPED}|${JOINING}|${DIRECTION}`);

const rightToLeft =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
