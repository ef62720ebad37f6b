import { extname } from 'node:path/posix';
import type { Attachment } from '../../sdk/base/attachments.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { UsageError } from '../commands/usage.js';

const types: ReadonlyMap<string, Attachment['media_type']> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.webp', 'image/webp'],
  ['.gif', 'image/gif'],
  ['.pdf', 'application/pdf'],
]);

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
    const media_type = types.get(extname(path).toLowerCase());
    const isFile = media_type && (await root.kindOf(path).catch(() => undefined)) === 'file';
    if (isFile) attachments.push({ media_type, data: await readBase64(root, path) });
    else others.push(path);
  }
  return { attachments, others };
}

/** The base64 of more would exceed the size of a request. */
const MAX_BYTES = 3_000_000;

async function readBase64(root: ProjectRoot, path: string): Promise<string> {
  const bytes = await root.readBytes(path).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  if (bytes.length === 0) throw new UsageError(`"${path}" is empty.`);
  if (bytes.length > MAX_BYTES)
    throw new UsageError(`"${path}" has ${bytes.length} bytes; at most ${MAX_BYTES} can be attached.`);
  return bytes.toString('base64');
}
