import { z } from 'zod';
import { list } from './fields.js';

/** The media types that at least one vendor takes. */
const attachmentTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const;

/** Whether a text is base64 of RFC 4648 with its padding. Only searches, so that long texts need no stack. */
const isBase64 = (text: string): boolean =>
  text.length > 0 &&
  text.length % 4 === 0 &&
  !/[^A-Za-z0-9+/]/.test(text.slice(0, -2)) &&
  ending.test(text.slice(-2));

const ending = /^(?:[A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

const attachmentSchema = z
  .looseObject({
    media_type: z.enum(attachmentTypes),
    data: z
      .string()
      .refine(isBase64, {
        error: 'expected base64 with its padding, without line breaks and without a data: prefix',
      })
      .meta({ description: 'The file in base64.' }),
  })
  .meta({ id: 'Attachment', description: 'An image or a PDF that the model sees with its turn.' });

/** Maximum number of attachments of one turn. */
const MAX_ATTACHMENTS = 1_000;

export const attachmentsSchema = list(attachmentSchema, MAX_ATTACHMENTS);

/** An image or a PDF, in base64. */
export type Attachment = z.output<typeof attachmentSchema>;
