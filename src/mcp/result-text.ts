import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../conversation/is-object.js';
import { type Attachment, isAttachment } from '../sdk/base/attachments.js';
import { OutputCapture } from '../tools/read/output-capture.js';
import { isDeeperThan } from './is-deeper-than.js';
import { withoutSecrets } from './mcp-server.js';

/** The result of a call as text for the model. */
export interface CallText {
  readonly text: string;
  readonly isError: boolean;
  /** Images of the result, which the model sees together with the text; absent if there are none. */
  readonly attachments?: readonly Attachment[];
}

/**
 * Converts the result of `tools/call` to text without secrets. Describes images, sound and links in brackets (rule:
 * mcp-results).
 */
export function textOfResult(result: unknown, secrets: readonly string[] = []): CallText {
  if (!isObject(result)) return { text: 'The server answered with no result.', isError: true };
  const isError = result['isError'] === true;
  const content = [result['content'] ?? []].flat();
  // A failed observation has no attachments.
  const attachments = isError ? [] : content.flatMap(attachmentOf);
  const parts = [
    ...content.map((block) => textOfBlock(block, isError)),
    ...structured(result['structuredContent'], content),
  ];
  // The text is cut last, because a cut within a secret would hide it from the redaction.
  const text = cut(withoutSecrets(parts.filter((part) => part !== '').join('\n\n'), secrets)).toWellFormed();
  return {
    text: text || (isError ? 'The tool failed and returned no text.' : 'Done; the tool returned no text.'),
    isError,
    ...(attachments.length > 0 && { attachments }),
  };
}

/**
 * Returns a list with the image of a content block; empty if the block is not an image or models cannot read its
 * format.
 */
function attachmentOf(block: unknown): Attachment[] {
  if (!isObject(block) || block['type'] !== 'image') return [];
  const image = { media_type: block['mimeType'], data: block['data'] };
  return isAttachment(image) ? [image] : [];
}

/** Shortens a long result: keeps its beginning and its end, like the output of a command. */
function cut(text: string): string {
  const capture = new OutputCapture('ask the tool for less at a time');
  capture.add(text);
  return capture.text();
}

const UNREADABLE = '[a part that cannot be read]';

function textOfBlock(block: unknown, isError: boolean): string {
  if (typeof block === 'string') return block;
  if (!isObject(block)) return UNREADABLE;
  const { type, text, data, mimeType, uri, name, description, resource } = block;
  if (type === 'text') return typeof text === 'string' ? text : UNREADABLE;
  if (!isError && attachmentOf(block).length > 0) return `[image, ${describeData(mimeType, data)}]`;
  if (type === 'image' || type === 'audio') return `[${type}, ${describeData(mimeType, data)}: not shown]`;
  if (type === 'resource_link') {
    const details = [name, mimeType, description].filter((each) => typeof each === 'string').join(', ');
    return `[a link to ${String(uri)}${details && ` (${details})`}: not read]`;
  }
  return type === 'resource' && isObject(resource)
    ? textOfResource(resource)
    : `[a part of the type ${String(type)}: not shown]`;
}

function textOfResource({ uri, text, blob, mimeType }: Readonly<Record<string, unknown>>): string {
  if (typeof text === 'string') return `[${String(uri)}]\n${text}`;
  return `[${String(uri)}, ${describeData(mimeType, blob)}: not shown]`;
}

/** Describes binary data by its media type and its size. */
function describeData(mimeType: unknown, data: unknown): string {
  const bytes = typeof data === 'string' ? Buffer.byteLength(data, 'base64') : 0;
  return `${typeof mimeType === 'string' ? mimeType : 'unknown type'}, ${bytes} bytes`;
}

/** Maximum depth of structured content. JSON.stringify recurses and would overflow the stack on deeper values. */
const MAX_DEPTH = 100;

/**
 * Returns a list with structured content as JSON text. The list is empty if the text blocks already repeat the content,
 * either as a whole or as the object's only field. Python servers write each item of a list as a block of its own.
 */
function structured(value: unknown, content: readonly unknown[]): readonly string[] {
  if (value === undefined || value === null) return [];
  if (isDeeperThan(MAX_DEPTH, value)) return [`[an object of more than ${MAX_DEPTH} levels: not shown]`];
  const texts = content.flatMap((block) => (isObject(block) ? (block['text'] ?? []) : []));
  const fields = isObject(value) ? Object.values(value) : [];
  const isRepeated = [value, ...(fields.length === 1 ? fields : [])].some(
    (each) =>
      texts.some((text) => says(text, each)) ||
      (Array.isArray(each) &&
        each.length > 0 &&
        each.length === texts.length &&
        each.every((item, index) => says(texts[index], item))),
  );
  return isRepeated ? [] : [JSON.stringify(value)];
}

/** Returns true if a text is the value, or is its JSON. */
const says = (text: unknown, value: unknown): boolean =>
  text === value || (typeof text === 'string' && isDeepStrictEqual(readJson(text), value));

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
