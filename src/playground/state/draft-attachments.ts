import { signal } from '@preact/signals';
import { type Attachment, MAX_ATTACHMENT_BYTES, toAttachment } from '../../sdk/base/attachments.js';

/** An image or a PDF that the next run sends with its task. */
export interface DraftAttachment {
  /** Name of the file; untrusted. */
  readonly name: string;
  readonly bytes: number;
  readonly attachment: Attachment;
}

/** The files beside the text in the task field. */
export const draftAttachments = signal<readonly DraftAttachment[]>([]);

/** Reports whether a file is an image or a PDF, which a person drops or pastes so that the model can see it. */
export const isPicture = ({ type }: File): boolean => type.startsWith('image/') || type === 'application/pdf';

/**
 * Attaches files to the next task. Returns one sentence for each file that was refused, because models do not accept
 * its type or because it would exceed the size of a request.
 */
export async function attachFiles(files: readonly File[]): Promise<readonly string[]> {
  const refusals: string[] = [];
  for (const file of files) {
    const refusal = await attachFile(file);
    if (refusal !== undefined) refusals.push(refusal);
  }
  return refusals;
}

async function attachFile(file: File): Promise<string | undefined> {
  if (file.size > MAX_ATTACHMENT_BYTES || bytesOf(draftAttachments.value) + file.size > MAX_ATTACHMENT_BYTES)
    return `${file.name} is not attached: all files of a task together may have at most 3 MB.`;
  const content = await file.arrayBuffer().catch(() => undefined);
  if (!content) return `${file.name} cannot be read, so it is not attached.`;
  const attachment = toAttachment(new Uint8Array(content));
  if (!attachment)
    return `${file.name} is not attached: models take PNG, JPEG, WebP and GIF images, and PDF files.`;
  draftAttachments.value = [...draftAttachments.value, { name: file.name, bytes: file.size, attachment }];
  return undefined;
}

export function detach(file: DraftAttachment): void {
  draftAttachments.value = draftAttachments.value.filter((each) => each !== file);
}

const bytesOf = (files: readonly DraftAttachment[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);
