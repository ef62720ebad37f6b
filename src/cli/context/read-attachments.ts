import { extname } from 'node:path/posix';
import { type Attachment, MAX_ATTACHMENT_BYTES, toAttachment } from '../../sdk/base/attachments.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { UsageError } from '../commands/usage.js';

/** File name extensions of images and documents. The model reads all other files as text. */
const endings: ReadonlySet<string> = new Set(['.png', '.jpg', '.jpeg', '.webp', '.gif', '.pdf']);

/** The tagged files that the model sees as images or documents, and the paths of all others. */
export interface TaggedAttachments {
  readonly attachments: readonly Attachment[];
  readonly others: readonly string[];
}

/** Reads the images and PDF files among tagged paths. Throws `UsageError` if one cannot be read. */
export async function readAttachments(
  root: ProjectRoot,
  tagged: readonly string[],
): Promise<TaggedAttachments> {
  const attachments: Attachment[] = [];
  const others: string[] = [];
  for (const path of new Set(tagged)) {
    const isAttached = endings.has(extname(path).toLowerCase()) && (await isFile(root, path));
    if (isAttached) attachments.push(await readAttachment(root, path));
    else others.push(path);
  }
  return { attachments, others };
}

const isFile = async (root: ProjectRoot, path: string): Promise<boolean> =>
  (await root.kindOf(path).catch(() => undefined)) === 'file';

async function readAttachment(root: ProjectRoot, path: string): Promise<Attachment> {
  const bytes = await root.readBytes(path).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  if (bytes.length === 0) throw new UsageError(`"${path}" is empty.`);
  if (bytes.length > MAX_ATTACHMENT_BYTES)
    throw new UsageError(
      `"${path}" has ${bytes.length} bytes; at most ${MAX_ATTACHMENT_BYTES} can be attached.`,
    );
  const attachment = toAttachment(bytes);
  if (!attachment) throw new UsageError(`"${path}" is not a PNG, JPEG, WebP, GIF or PDF file.`);
  return attachment;
}
