import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../conversation/is-object.js';
import { type Attachment, isAttachment } from '../sdk/base/attachments.js';
import { OutputCapture } from '../tools/read/output-capture.js';
import { isDeeperThan } from './is-deeper-than.js';

/** The result of a call as text for the model. */
export interface CallText {
  readonly text: string;
  readonly isError: boolean;
  /** Images of the result, which the model sees together with the text; absent if there are none. */
  readonly attachments?: readonly Attachment[];
}

/** Converts the result of `tools/call` to text. Describes images, sound and links in brackets (rule: mcp-results). */
export function textOfResult(result: unknown): CallText {
  if (!isObject(result)) return { text: 'The server answered with no result.', isError: true };
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const parts = [...content.map(textOfBlock), ...structured(result['structuredContent'], content)];
  const text = parts.filter((part) => part !== '').join('\n\n');
  const attachments = content.flatMap(attachmentOf);
  return {
    text: cut(text) || 'Done; the tool returned no text.',
    isError: result['isError'] === true,
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

function textOfBlock(block: unknown): string {
  if (!isObject(block)) return '[a part that cannot be read]';
  const { type, text, data, mimeType, uri, name, description, resource } = block;
  if (type === 'text') return typeof text === 'string' ? text : '';
  if (attachmentOf(block).length > 0) return `[image, ${describeData(mimeType, data)}]`;
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
 * Returns a list with structured content as JSON text. The list is empty if a text block already repeats the content,
 * either as a whole or as the object's only field.
 */
function structured(value: unknown, content: readonly unknown[]): readonly string[] {
  if (value === undefined) return [];
  if (isDeeperThan(MAX_DEPTH, value)) return [`[an object of more than ${MAX_DEPTH} levels: not shown]`];
  const [field, ...others] = isObject(value) ? Object.values(value) : [];
  const isRepeated = content.some((block) => {
    const text = isObject(block) ? block['text'] : undefined;
    if (typeof text !== 'string') return false;
    return (text === field && others.length === 0) || isDeepStrictEqual(readJson(text), value);
  });
  return isRepeated ? [] : [JSON.stringify(value)];
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
