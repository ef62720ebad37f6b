import { createHash } from 'node:crypto';
import { MAX_PATH_LENGTH } from '../../files/portable-path.js';

/**
 * Names of the tags that enclose data in a prompt. Every fence escapes the closing tags of all of them in its
 * data.
 */
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

interface Fenced {
  readonly tag: FenceTag;
  /** Attributes in the order of rendering; undefined values are omitted. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

const MARK_HEX_DIGITS = 16; // 64 bits

/**
 * Encloses data in tags that the data cannot forge (rule: fences): both tags contain a hash of the data, which does
 * not occur in the data. The same data always gets the same hash, so prompts stay cacheable byte for byte. A fence
 * begins with `<` and ends with a newline, so the token counts of adjacent fences add up exactly.
 */
export function fence({ tag, attributes, text }: Fenced): string {
  const head = `<${tag}${Object.entries(attributes).map(renderAttribute).join('')}`;
  const escaped = escapeFenced(text);
  const body = escaped === '' || escaped.endsWith('\n') ? escaped : `${escaped}\n`;
  const mark = unforgeableMark(head, body);
  return `${head} mark="${mark}">\n${body}</${tag} ${mark}>\n`;
}

function unforgeableMark(head: string, body: string): string {
  for (let salt = ''; ; salt += '.') {
    const hash = createHash('sha256').update(`${salt}${head}\n`).update(body).digest('hex');
    const mark = hash.slice(0, MARK_HEX_DIGITS);
    if (!body.includes(mark) && !head.includes(mark)) return mark;
  }
}

const harmlessAttribute = /^[\w ./,-]{0,200}$/;

/**
 * Renders an attribute, with character references for characters that could end the attribute, the tag or the
 * line.
 */
function renderAttribute([name, value]: [string, string | undefined]): string {
  if (value === undefined) return '';
  if (harmlessAttribute.test(value)) return ` ${name}="${value}"`;
  const safe = shortenToPathLength(value).replace(
    /["<>\p{Cc}\u2028\u2029]/gu,
    (found) => `&#${found.codePointAt(0)};`,
  );
  return ` ${name}="${escapeFenced(safe)}"`;
}

/**
 * Texts that a model could mistake for the end of a fence, or a model server for the end of a message: the closing
 * tags of fences, and the control tokens of chat templates (ChatML, Llama 2 to 4, Harmony, DeepSeek, Gemma, Mistral).
 * `<s>` and `</s>` are not included, because they are HTML. No two alternatives have a common beginning, so the
 * regular expression never backtracks.
 */
const afterAngle = [
  String.raw`[ \t]*/\s*(?:${fenceTags.join('|')})(?![\w.-])`,
  String.raw`\|[\w.-]{1,64}\|>`,
  String.raw`｜[\w.▁-]{1,64}｜>`,
  '(?:start|end)_of_turn>',
  '</?SYS>>',
].join('|');
const afterSquare = String.raw`\/?(?:INST|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|SYSTEM_PROMPT)\]`;

const toEscape = new RegExp(String.raw`(<\\*)(?=${afterAngle})|(\[\\*)(?=${afterSquare})`, 'giu');

/**
 * Number of parts of an escaped text that are joined at a time, to limit memory. `String.replace` would hold all
 * parts until its end: 80 MiB for a file of 4 MiB of closing tags.
 */
const MAX_PARTS = 4_096;

/**
 * Adds a backslash after the opening bracket of each dangerous text, as in `<\/file>` and `<\|im_end|>`. Leaves
 * other text unchanged.
 */
export function escapeFenced(text: string): string {
  // UTF-8 cannot encode a lone surrogate; the provider would receive a replacement character instead of it.
  const wellFormed = text.toWellFormed();
  const chunks: string[] = [];
  let parts: string[] = [];
  let end = 0;
  for (const match of wellFormed.matchAll(toEscape)) {
    const next = match.index + match[0].length;
    parts.push(wellFormed.slice(end, next), '\\');
    end = next;
    if (parts.length < MAX_PARTS) continue;
    chunks.push(parts.join(''));
    parts = [];
  }
  if (end === 0) return wellFormed;
  return [...chunks, ...parts, wellFormed.slice(end)].join('');
}

/**
 * Returns a path for use inside a line of text. Quotes a path that contains control characters, because they could
 * begin a new line.
 */
export function inlinePath(path: string): string {
  const short = shortenToPathLength(path);
  return /[\p{Cc}\u2028\u2029]/u.test(short) ? JSON.stringify(short) : short;
}

/** Shortens a text to the maximum path length, without splitting a surrogate pair. */
export function shortenToPathLength(text: string): string {
  if (text.length <= MAX_PATH_LENGTH) return text;
  return `${text.slice(0, MAX_PATH_LENGTH - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
