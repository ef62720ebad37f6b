import { spellUnseen } from '../../sdk/base/unseen.js';

/**
 * Makes text safe to display: answers, thoughts, observations. Controls are replaced, and invisible characters appear
 * by their number, as in `ls<U+200B>src`. Invisible characters that writing needs stay: joiners and variation
 * selectors after a visible non-ASCII character (Persian, Hindi, emoji), and direction marks on lines with
 * right-to-left letters. Nothing can hide in pure ASCII (rule: terminal).
 */
export const showText = (text: string): string =>
  withoutControls(text)
    .split('\n')
    .map((line) => line.replace(rightToLeft.test(line) ? hiddenInRightToLeft : hidden, spellInBrackets))
    .join('\n');

/**
 * Makes text safe that a person approves or that names something: proposals, calls, rules, paths, errors. All
 * characters that are invisible or look like a space appear by their number.
 */
export const showExact = (text: string): string => spellInBrackets(withoutControls(text).toWellFormed());

/** Works like `showText`, on one line, so that the text cannot start another line. */
export const showTextLine = (text: string): string => oneLine(showText(text));
export const showExactLine = (text: string): string => oneLine(showExact(text));

/** Prints JSON with controls and invisible characters escaped. It parses to the same value. */
export function printableJson(value: unknown): string {
  const escaped = (character: string) =>
    character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  const json = JSON.stringify(value).replace(controls, escaped);
  return spellUnseen(json, (_, character) => escaped(character));
}

const spellInBrackets = (text: string): string => spellUnseen(text, (code) => `<${code}>`);

const oneLine = (text: string): string => text.replace(/[\n\t]+/g, ' ');

const withoutControls = (text: string): string => text.replace(/\r\n/g, '\n').replace(controls, '�');

/**
 * Matches control characters except line feed and tab. Also matches other line breaks, and characters that change the
 * text direction.
 */
const controls = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** Format characters with a visible shape: signs of Arabic, Syriac and Kaithi. */
const SHAPED = String.raw`[\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}]`;
const VISIBLE = String.raw`(?![\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}])[^\0-\x7f]`;
/**
 * Joiners and variation selectors that stay: after a visible non-ASCII character, as in a joined emoji, and before the
 * frame of a keycap emoji.
 */
const JOINING = String.raw`(?<=${VISIBLE}\ufe0f?)[\u200c\u200d]|(?<=${VISIBLE})[\ufe00-\ufe0f]|\ufe0f(?=\u20e3)`;
const DIRECTION = String.raw`[\u061c\u200e\u200f]`;

const hiddenBut = (kept: string): RegExp =>
  new RegExp(String.raw`(?!${kept})[\p{Cf}\p{Default_Ignorable_Code_Point}]`, 'gu');
const hidden = hiddenBut(`${SHAPED}|${JOINING}`);
const hiddenInRightToLeft = hiddenBut(`${SHAPED}|${JOINING}|${DIRECTION}`);

const rightToLeft =
  /(?=\p{L})[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
