import { fileURLToPath } from 'node:url';
import type { ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import { isSecretPath, isSecretPlace } from '../../files/secret-paths.js';
import { SecurityViolation } from '../../sdk/actions/tool-errors.js';
import { type Attachment, isAttachment } from '../../sdk/base/attachments.js';
import type { RunContext } from '../../sdk/run/run-options.js';
import type { Folder } from '../../tools/folder/folder.js';
import { readText } from '../../tools/folder/folder.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { showExactLine } from '../screen/visible-text.js';
import { invalidParams } from './request-errors.js';

/** A prompt read from the blocks that the editor sent. */
export interface ReadPrompt {
  readonly task: string;
  readonly context: RunContext;
  /** Images and PDF files of the prompt. */
  readonly attachments: readonly Attachment[];
  /** Sentences for the person about parts that were left out. */
  readonly remarks: readonly string[];
}

interface Sources {
  readonly root: ProjectRoot;
  /** The project folder, read with the editor's unsaved changes. */
  readonly folder: Pick<Folder, 'readIfText'>;
}

/**
 * Maximum number of characters of all attached files. It leaves space for the history, since the service limits the
 * size of a request.
 */
const MAX_FILES_CHARS = 2_000_000;

/**
 * Reads the task and the files attached to it. A link to a file in the folder is replaced by the file's text; a link
 * that cannot be read gets a remark. Throws `RequestError` for audio, for files that models do not accept, and for a
 * prompt without text.
 */
export async function readPrompt(blocks: readonly ContentBlock[], sources: Sources): Promise<ReadPrompt> {
  const words: string[] = [];
  const remarks: string[] = [];
  const files = new Map<string, string>();
  const attachments: Attachment[] = [];
  for (const block of blocks) {
    if (block.type === 'text') words.push(block.text);
    else if (block.type === 'resource_link')
      words.push(await attachLink(block.uri, { ...sources, files, remarks }));
    else if (block.type === 'resource' && 'text' in block.resource)
      words.push(await attachText(block.resource, { ...sources, files, remarks }));
    else attachments.push(readAttachment(block));
  }
  const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (total > MAX_FILES_CHARS) throw tooLarge(total);
  const inline = [...files].map(([path, content]) => ({ path, content }));
  const task = words.join('').trim();
  if (task === '') throw invalidParams('The prompt contains no text. Describe the task.');
  if (task.includes('\0')) throw invalidParams('The prompt contains a NUL character. Remove it.');
  return { task, context: { paths: [...files.keys()], inline: { files: inline } }, attachments, remarks };
}

/** Reads an image, or a binary resource that models accept. Throws `RequestError` for anything else. */
function readAttachment(block: ContentBlock): Attachment {
  const file =
    block.type === 'image'
      ? { media_type: block.mimeType, data: block.data }
      : block.type === 'resource' && 'blob' in block.resource
        ? { media_type: block.resource.mimeType, data: block.resource.blob }
        : undefined;
  if (!isAttachment(file)) throw unsupportedBlock(block.type);
  return file;
}

interface Sinks extends Sources {
  readonly files: Map<string, string>;
  readonly remarks: string[];
}

/** Attaches a linked file and returns the text that replaces the link in the task. */
async function attachLink(uri: string, { root, folder, files, remarks }: Sinks): Promise<string> {
  const path = pathOf(uri);
  if (path === undefined) return uri;
  try {
    const name = await root.nameOf(path);
    const { content } = await readText(folder, name);
    files.set(name, content);
    return `@${name}`;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    remarks.push(showExactLine(`${path} was not read: ${reason}`));
    return path;
  }
}

/**
 * Attaches a text that the editor sent with the prompt, and returns the words that name it in the task. The text of a
 * secret file is never sent, even if the file is outside the folder (rule: secret-files).
 */
async function attachText(
  { uri, text }: { readonly uri: string; readonly text: string },
  { root, files, remarks }: Sinks,
): Promise<string> {
  const path = pathOf(uri);
  const name = path === undefined ? uri || 'attachment' : await nameOf(path, root);
  if (name === undefined || isSecretPath(name) || isSecretPlace(decodedPath(uri))) {
    remarks.push(
      showExactLine(`${path ?? uri} was not sent, because files at this path usually contain secrets.`),
    );
    return path ?? uri;
  }
  const part = unusedName(path === undefined ? name : `${name}${new URL(uri).hash}`, { text, files });
  files.set(part, text);
  return `@${part}`;
}

/** Returns a name that no other text has, since editors send several selections of one file with the same URI. */
function unusedName(name: string, { text, files }: { text: string; files: Sinks['files'] }): string {
  return (files.get(name) ?? text) === text ? name : `${name} (${files.size + 1})`;
}

/**
 * Returns the path relative to the folder, or the unchanged path of a file outside the folder. Returns undefined for a
 * path that tools must not read.
 */
async function nameOf(path: string, root: ProjectRoot): Promise<string | undefined> {
  return root.nameOf(path).catch((error) => (error instanceof SecurityViolation ? path : undefined));
}

/** Returns a URI without query and fragment, percent-decoded, so that `%2Eenv` cannot hide a secret file. */
function decodedPath(uri: string): string {
  const [place = ''] = uri.split(/[?#]/);
  return place.replace(/%[0-9a-f]{2}/gi, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)));
}

function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

function unsupportedBlock(type: string): RequestError {
  const what = type === 'resource' ? 'this binary data' : type === 'image' ? 'this image' : type;
  return invalidParams(
    `Stepwise can only send text, images (PNG, JPEG, WebP, GIF) and PDF files, not ${what}. Remove that part and send the prompt again.`,
    { type },
  );
}

const tooLarge = (total: number): RequestError =>
  invalidParams(
    `The attached files have ${total} characters in total; the maximum is ${MAX_FILES_CHARS}. Attach fewer files.`,
    { total },
  );
