import { type Attachment, toAttachment } from 'stepwise';
import { type Folder, isSecretPath, isSecretPlace, type StoredFolder } from 'stepwise/tools/browser';
import type * as vscode from 'vscode';
import type { WorkspaceRoots } from '../workspace/workspace-roots.js';

/** Maximum file size in bytes; the model reads parts of larger files with its tools. */
const MAX_FILE_BYTES = 1024 * 1024;
/** Maximum number of files in a tagged folder; larger folders should be searched instead. */
const MAX_FOLDER_FILES = 200;

/** Path and text of a file to be sent. */
export interface SentFile {
  readonly path: string;
  readonly content: string;
}

/** The text files at a path, the image or PDF at it, or the reason why they are not sent. */
export type Reading =
  | { readonly files: readonly SentFile[]; readonly attachment?: Attachment }
  | { readonly refusal: string };

/** Returns the path of a file or folder that may be sent, or the reason why it may not. */
export function pathForTask(
  roots: WorkspaceRoots,
  uri: vscode.Uri,
): { readonly path: string } | { readonly refusal: string } {
  const path = roots.pathOf(uri);
  const name = uri.path.split('/').at(-1) ?? uri.path;
  const isSecret = path === undefined ? isSecretPlace(uri.path) : isSecretPath(path);
  if (isSecret) return { refusal: secretRefusal(path ?? name) };
  if (path === undefined) return { refusal: `${name} lies outside the workspace, so it is not sent.` };
  return { path };
}

export const secretRefusal = (path: string): string =>
  `${path} is a file of secrets by its name, so it is not sent.`;

/** Matches names of files that are sent as images or PDF documents instead of text. */
const attached = /\.(?:png|jpe?g|webp|gif|pdf)$/i;
/** Maximum size of an image or a PDF in bytes. The base64 form of a larger one would exceed the size of a request. */
const MAX_ATTACHMENT_BYTES = 3_000_000;

/** Reads a text file, an image, a PDF file, or all text files of a folder. Includes unsaved text from the editor. */
export async function readForTask(folder: StoredFolder, path: string, signal: AbortSignal): Promise<Reading> {
  try {
    if (attached.test(path) && (await folder.kindOf(path)) === 'file')
      return await readAttachment(folder, path);
    return (await folder.kindOf(path)) === 'folder'
      ? await readFolder(folder, path, signal)
      : await readFile(folder, path);
  } catch {
    return { refusal: `${path} cannot be read, so it is not sent.` };
  }
}

async function readAttachment(folder: StoredFolder, path: string): Promise<Reading> {
  const bytes = await folder.readBytes(path);
  if (bytes.length > MAX_ATTACHMENT_BYTES)
    return { refusal: `${path} is larger than 3 MB, so it is not sent.` };
  const attachment = toAttachment(bytes);
  return attachment
    ? { files: [], attachment }
    : { refusal: `${path} is no PNG, JPEG, WebP, GIF or PDF file, so it is not sent.` };
}

async function readFile(folder: Folder, path: string): Promise<Reading> {
  const text = await folder.readIfText(path);
  if (!text) return { refusal: `${path} is a binary file, so it is not sent.` };
  if (text.bytes > MAX_FILE_BYTES) {
    return { refusal: `${path} is larger than 1 MiB, so it is not sent; the model can read parts of it.` };
  }
  return { files: [{ path, content: text.content }] };
}

async function readFolder(folder: Folder, path: string, signal: AbortSignal): Promise<Reading> {
  const paths: string[] = [];
  for await (const entry of folder.walk(path, { signal })) {
    if (entry.type === 'file') paths.push(entry.path);
    if (paths.length > MAX_FOLDER_FILES) {
      return {
        refusal: `${path} has more than ${MAX_FOLDER_FILES} files, so it is not sent; the model can search it.`,
      };
    }
  }
  const files: SentFile[] = [];
  for (const each of paths) {
    signal.throwIfAborted();
    const reading = await readFile(folder, each).catch(() => undefined);
    if (reading && 'files' in reading) files.push(...reading.files);
  }
  return files.length > 0 ? { files } : { refusal: `${path} has no text files to send.` };
}
