import { z } from 'zod';
import { list } from './fields.js';

export type { Attachment } from './wire-types.js';

/** The media types that at least one vendor accepts. */
const attachmentTypes = ['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf'] as const;

const attachmentSchema = z
  .looseObject({
    media_type: z.enum(attachmentTypes).meta({ description: 'Media type of the file.' }),
    // The pattern is only for the OpenAPI document. The service checks the base64 without a regular expression, which
    // could overflow the stack for long texts.
    data: z.string().meta({
      description: 'The file in base64.',
      pattern: '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$',
    }),
  })
  .meta({ id: 'Attachment', description: 'An image or a PDF that the model sees with its turn.' });

/** Maximum number of attachments in one turn. */
const MAX_ATTACHMENTS = 1_000;

export const attachmentsSchema = list(attachmentSchema, MAX_ATTACHMENTS);
