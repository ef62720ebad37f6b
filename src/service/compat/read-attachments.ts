import { type Attachment, attachmentsSchema } from '../../contract/attachment.js';
import { isBase64 } from '../../conversation/is-base64.js';

/** Returns an image or a PDF; undefined for another type, and for data that is not base64. */
export function toAttachment(mediaType: string, data: string): Attachment | undefined {
  if (!isBase64(data)) return undefined;
  return attachmentsSchema.safeParse([{ media_type: mediaType.toLowerCase(), data }]).data?.[0];
}

/** Returns the file in a `data:` URL; undefined for any other URL, which is never fetched. */
export function attachmentIn(url: string): Attachment | undefined {
  const comma = url.indexOf(',');
  const [, mediaType] = /^data:([\w.+/-]{1,100});base64$/i.exec(url.slice(0, Math.max(0, comma))) ?? [];
  return mediaType === undefined ? undefined : toAttachment(mediaType, url.slice(comma + 1));
}
