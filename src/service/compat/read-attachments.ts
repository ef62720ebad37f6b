import { type Attachment, attachmentsSchema } from '../../contract/attachment.js';
import { isBase64 } from '../../conversation/is-base64.js';

/**
 * Returns an image or a PDF; undefined for another type, and for data that is not base64. Many clients build the type
 * of a JPEG from the extension of its file: `image/jpg`.
 */
export function toAttachment(mediaType: string, data: string): Attachment | undefined {
  if (!isBase64(data)) return undefined;
  const media_type = mediaType.toLowerCase().replace(/^image\/jpg$/, 'image/jpeg');
  return attachmentsSchema.safeParse([{ media_type, data }]).data?.[0];
}

/** Returns the image or the PDF in a `data:` URL; undefined for any other URL, which is never fetched. */
export function attachmentIn(url: string): Attachment | undefined {
  const { mediaType, data } = readDataUrl(url);
  return toAttachment(mediaType, data);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the text of a text file in a `data:` URL, after the file's name; undefined if it is not UTF-8 text. */
export function fileTextIn(url: string, name: string | undefined): string | undefined {
  const { mediaType, data } = readDataUrl(url);
  if (!/^text\/|[/+](?:json|xml|yaml)$/i.test(mediaType) || !isBase64(data)) return undefined;
  try {
    const text = utf8.decode(Buffer.from(data, 'base64'));
    return text.includes('\0') ? undefined : [name, text].filter(Boolean).join('\n');
  } catch {
    return undefined;
  }
}

/** Splits a `data:` URL in base64. Any other URL has no data. */
function readDataUrl(url: string): { readonly mediaType: string; readonly data: string } {
  const comma = url.indexOf(',');
  const head = /^data:([\w.+/-]{1,100})(?:;[\w.-]{1,100}=[\w.-]{1,100}){0,4};base64$/i;
  const [, mediaType] = head.exec(url.slice(0, Math.max(0, comma))) ?? [];
  return mediaType === undefined ? { mediaType: '', data: '' } : { mediaType, data: url.slice(comma + 1) };
}
