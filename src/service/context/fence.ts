import { createHash } from 'node:crypto';
import { MAX_PATH_LENGTH } from '../../files/portable-path.js';

/** What data may stand in. A closing tag of any of them is escaped inside all of them. */
export const fenceTags = [
  'file',
  'folder',
  'pinned',
  'excerpt',
  'focus',
  'left_out',
  'observation',
  'tasks',
] as const;

export type FenceTag = (typeof fenceTags)[number];

export interface Fenced {
  readonly tag: FenceTag;
  /** In the order in which they are written; what is undefined is left out. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

const MARK_HEX_DIGITS = 16; // 64 bits

/**
 * What a reader could take for the end of a fence, or a model server for the end of a message: our own closing
 * tags, and the control tokens of chat templates (ChatML, Llama 2 to 4, Harmony, DeepSeek's wide bars, Gemma,
 * Mistral). `<s>` and `</s>` are left alone: they are HTML. No two alternatives begin alike, so the scan is linear.
 */
const dangerous = [
  String.raw`[ \t]*/\s*(?:${fenceTags.join('|')})(?![\w.-])`,
  String.raw`\|[\w.-]{1,64}\|>`,
  String.raw`｜[\w.▁-]{1,64}｜>`,
  '(?:start|end)_of_turn>',
  '</?SYS>>',
].join('|');
const bracketed = String.raw`\/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]`;
const toEscape = new RegExp(String.raw`(<\\*)(?=${dangerous})|(\[\\*)(?=${bracketed})`, 'giu');
const escaped = new RegExp(String.raw`(<\\*)\\(?=${dangerous})|(\[\\*)\\(?=${bracketed})`, 'giu');

/**
 * Puts data between marks that it cannot forge (rule: fences): the mark is a hash of what is fenced, so it is the same
 * for the same data (a prompt stays byte for byte cacheable), and it never occurs in the data itself.
 * The block begins with `<` and ends with a newline: token counts of such blocks add up exactly.
 */
export function fence({ tag, attributes, text }: Fenced): string {
  const head = `<${tag}${Object.entries(attributes).map(renderAttribute).join('')}`;
  const body = endLine(escapeFenced(text));
  const mark = unforgeableMark(`${head}\n${body}`);
  return `${head} mark="${mark}">\n${body}</${tag} ${mark}>\n`;
}

/** Escapes as little as can be, by one backslash after the opening bracket: `<\/file>`, `<\|im_end|>`. */
export function escapeFenced(text: string): string {
  // A lone surrogate has no bytes in UTF-8: it would be another character by the time it is sent.
  return text.toWellFormed().replace(toEscape, '$1$2\\');
}

/** Undoes `escapeFenced`. */
export function unescapeFenced(text: string): string {
  return text.replace(escaped, '$1$2');
}

/** A path inside a line of text: one with control characters is quoted, so that it cannot begin a line of its own. */
export function inlinePath(path: string): string {
  const shown = shorten(path);
  return /[\p{Cc}\u2028\u2029]/u.test(shown) ? JSON.stringify(shown) : shown;
}

function unforgeableMark(fenced: string): string {
  for (let salt = ''; ; salt += '.') {
    const hash = createHash('sha256').update(salt).update(fenced).digest('hex');
    const mark = hash.slice(0, MARK_HEX_DIGITS);
    if (!fenced.includes(mark)) return mark;
  }
}

/** What could end the attribute, the tag or the line is written as a number; a path is hardly ever touched. */
function renderAttribute([name, value]: readonly [string, string | undefined]): string {
  if (value === undefined) return '';
  const safe = shorten(value).replace(/["<>\p{Cc}\u2028\u2029]/gu, (found) => `&#${found.codePointAt(0)};`);
  return ` ${name}="${escapeFenced(safe)}"`;
}

/** Whole up to the longest path there is. A cut through a surrogate pair leaves neither of its halves. */
function shorten(text: string): string {
  if (text.length <= MAX_PATH_LENGTH) return text;
  return `${text.slice(0, MAX_PATH_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
