import { createHash, hash } from 'node:crypto';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { MAX_PATH_LENGTH } from '../../files/portable-path.js';
import { type DigestedText, TextMemo } from '../../tokens/text-memo.js';

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

/** A fence as it is sent, and a digest of all of it, from which it has its mark. */
export interface Block extends DigestedText {
  readonly digest: string;
}

const MARK_HEX_DIGITS = 16; // 64 bits
const DIGEST_HEX_DIGITS = 33; // 132 bits

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

/** The same, looked for at one bracket; `next` is what can stand after it: code is full of `<T>` and `[0]`. */
interface Dangerous {
  readonly token: RegExp;
  readonly next: ReadonlySet<number>;
}
const dangerousAngle: Dangerous = {
  token: new RegExp(String.raw`<\\*(?:${dangerous})`, 'iuy'),
  next: codesOf('\\ \t/|｜<sSſeE'),
};
const dangerousSquare: Dangerous = {
  token: new RegExp(String.raw`\[\\*${bracketed}`, 'iuy'),
  next: codesOf('\\/iIaAtTsSſ'),
};

function codesOf(characters: string): Set<number> {
  return new Set(Array.from(characters, (character) => character.charCodeAt(0)));
}

const escaped = new RegExp(String.raw`(<\\*)\\(?=${dangerous})|(\[\\*)\\(?=${bracketed})`, 'giu');

/**
 * Puts data between marks that it cannot forge (rule: fences): the mark is a hash of what is fenced, so it is the same
 * for the same data (a prompt stays byte for byte cacheable), and it never occurs in the data itself.
 * The block begins with `<` and ends with a newline: token counts of such blocks add up exactly.
 */
export function fence(fenced: Fenced): string {
  const head = headOf(fenced);
  const body = escapeFenced(fenced.text);
  return enclose(fenced.tag, { head, body, digest: unforgeableDigest(head, body) }).text;
}

/** More files than a machine has in its runs at a time. */
const MOST_DIGESTS = 4096;

/** The digests of fences in which nothing was escaped. */
const knownDigests = new TextMemo<string>(MOST_DIGESTS);

/**
 * The same for a text of any length (rule: loop-share); a short one is fenced at once. A key names all that is fenced, such as
 * by its digest: what was fenced with it before, in an earlier step, is neither searched for brackets nor hashed again.
 */
export function fenceInShares(fenced: Fenced, key?: string): Block | Promise<Block> {
  const text = fenced.text.toWellFormed(); // to a digest, half characters are replaced already
  const head = headOf(fenced);
  const known = key === undefined ? undefined : knownDigests.recall(key);
  if (known !== undefined) return enclose(fenced.tag, { head, body: text, digest: known });
  const finish = (body: string): Block => {
    const digest = unforgeableDigest(head, body);
    if (key !== undefined && body === text) knownDigests.remember(key, digest);
    return enclose(fenced.tag, { head, body, digest });
  };
  return text.length <= SLICE ? finish(escapeWellFormed(text)) : escapeInShares(text).then(finish);
}

async function escapeInShares(text: string): Promise<string> {
  const escaped: string[] = [];
  for (const slice of slicesOf(text)) {
    await eventLoopShare.take(slice.length * ESCAPING);
    escaped.push(escapeWellFormed(slice));
  }
  return escaped.join('');
}

function headOf({ tag, attributes }: Fenced): string {
  let head = `<${tag}`;
  for (const name in attributes) head += renderAttribute(name, attributes[name]);
  return head;
}

function enclose(tag: FenceTag, { head, body, digest }: Record<'head' | 'body' | 'digest', string>): Block {
  const mark = markOf(digest);
  const begin = `${head} mark="${mark}">\n`;
  const end = `${endOfLine(body)}</${tag} ${mark}>\n`;
  return { text: begin + body + end, pieces: [begin, body, end], digest };
}

const markOf = (digest: string): string => digest.slice(0, MARK_HEX_DIGITS);

/** What a text lacks of ending in a line break. */
function endOfLine(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}

/** Escapes as little as can be, by one backslash after the opening bracket: `<\/file>`, `<\|im_end|>`. */
export function escapeFenced(text: string): string {
  // A lone surrogate has no bytes in UTF-8: it would be another character by the time it is sent.
  return escapeWellFormed(text.toWellFormed());
}

function escapeWellFormed(text: string): string {
  return isDangerous(text) ? text.replace(toEscape, '$1$2\\') : text;
}

/** To look at brackets alone takes a quarter of the expression's time, and nearly all texts hold nothing to escape. */
function isDangerous(text: string): boolean {
  return mayHold(text, '<', dangerousAngle) || mayHold(text, '[', dangerousSquare);
}

function mayHold(text: string, bracket: string, { next, token }: Dangerous): boolean {
  for (let at = text.indexOf(bracket); at !== -1; at = text.indexOf(bracket, at + 1)) {
    if (!next.has(text.charCodeAt(at + 1))) continue;
    token.lastIndex = at;
    if (token.test(text)) return true;
  }
  return false;
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

/** Longer texts are hashed one after the other: joined, they would be copied. */
const HASHED_AT_ONCE = 4096;

/** One that begins with a mark which does not occur in what is fenced. */
function unforgeableDigest(head: string, body: string): string {
  for (let salt = ''; ; salt += '.') {
    const digest = hashOf(`${salt}${head}\n`, body).slice(0, DIGEST_HEX_DIGITS);
    const mark = markOf(digest);
    if (!body.includes(mark) && !head.includes(mark)) return digest;
  }
}

function hashOf(head: string, body: string): string {
  const end = endOfLine(body);
  if (body.length <= HASHED_AT_ONCE) return hash('sha256', head + body + end, 'hex');
  return createHash('sha256').update(head).update(body).update(end).digest('hex');
}

/** Most names and paths. */
const harmless = /^[\w ./,-]{0,200}$/;

/** What could end the attribute, the tag or the line is written as a number; a path is hardly ever touched. */
function renderAttribute(name: string, value: string | undefined): string {
  if (value === undefined) return '';
  if (harmless.test(value)) return ` ${name}="${value}"`;
  const safe = shorten(value).replace(/["<>\p{Cc}\u2028\u2029]/gu, (found) => `&#${found.codePointAt(0)};`);
  return ` ${name}="${escapeFenced(safe)}"`;
}

/** Whole up to the longest path there is. A cut through a surrogate pair leaves neither of its halves. */
export function shorten(text: string): string {
  if (text.length <= MAX_PATH_LENGTH) return text;
  return `${text.slice(0, MAX_PATH_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
