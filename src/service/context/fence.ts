import { createHash } from 'node:crypto';
import { MAX_PATH_LENGTH } from '../../files/portable-path.js';
import { eventLoopShare } from '../event-loop/event-loop-share.js';

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
export function fence(fenced: Fenced): string {
  return enclose(fenced, escapeFenced(fenced.text));
}

/** The same for a text of any length (rule: loop-share). */
export async function fenceInShares(fenced: Fenced): Promise<string> {
  if (fenced.text.length <= SLICE) return fence(fenced);
  const escaped: string[] = [];
  for (const slice of slicesOf(fenced.text)) {
    await eventLoopShare.take(slice.length * ESCAPING);
    escaped.push(escapeFenced(slice));
  }
  return enclose(fenced, escaped.join(''));
}

function enclose({ tag, attributes }: Fenced, escaped: string): string {
  const head = `<${tag}${Object.entries(attributes).map(renderAttribute).join('')}`;
  const body = endLine(escaped);
  const mark = unforgeableMark(head, body);
  return `${head} mark="${mark}">\n${body}</${tag} ${mark}>\n`;
}

/** Escapes as little as can be, by one backslash after the opening bracket: `<\/file>`, `<\|im_end|>`. */
export function escapeFenced(text: string): string {
  // A lone surrogate has no bytes in UTF-8: it would be another character by the time it is sent.
  return text.toWellFormed().replace(toEscape, '$1$2\\');
}

/** UTF-16 units escaped at a time, and what one of them books of the event loop. */
const SLICE = 64 * 1024;
const ESCAPING = 1 / 4;

/** Nothing that is escaped reaches over such a bracket, or begins before it and looks beyond. */
const seam = /(?<![<\\])<|\[/g;

/** Slices that are escaped alike, alone or together: longer only if there is no seam. */
function* slicesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    seam.lastIndex = start + SLICE;
    const end = seam.exec(text)?.index ?? text.length;
    yield text.slice(start, end);
    start = end;
  }
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

/** Hashed one after the other: joined, they would be copied. */
function unforgeableMark(head: string, body: string): string {
  for (let salt = ''; ; salt += '.') {
    const hash = createHash('sha256').update(`${salt}${head}\n`).update(body).digest('hex');
    const mark = hash.slice(0, MARK_HEX_DIGITS);
    if (!body.includes(mark) && !head.includes(mark)) return mark;
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
