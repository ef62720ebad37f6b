import { fileURLToPath } from 'node:url';
import { type ContentBlock, RequestError } from '@agentclientprotocol/sdk';
import { isSecretPath, isSecretPlace } from '../../files/secret-paths.js';
import { SecurityViolation } from '../../sdk/actions/tool-errors.js';
import type { RunContext } from '../../sdk/run/run-options.js';
import type { Folder } from '../../tools/folder/folder.js';
import { readText } from '../../tools/folder/folder.js';
import type { ProjectRoot } from '../../tools/project-root.js';
import { showExactLine } from '../screen/shown-text.js';

/** What a person sent with their words. */
export interface ReadPrompt {
  readonly task: string;
  readonly context: RunContext;
  /** What could not be taken, in sentences for the person. */
  readonly remarks: readonly string[];
}

interface Sources {
  readonly root: ProjectRoot;
  /** The same as it stands in the editor. */
  readonly folder: Pick<Folder, 'readIfText'>;
}

/** In characters: what a request can carry beside the history. */
const MAX_TOTAL = 2_000_000;

/**
 * The task, and the files that came with it. A link to a file of the folder is read; one that leads out of it, or to
 * what cannot be read, is remarked upon. Throws `RequestError` for what no step can carry: images, sound,
 * bytes, and for a prompt without words.
 */
export async function readPrompt(blocks: readonly ContentBlock[], sources: Sources): Promise<ReadPrompt> {
  const words: string[] = [];
  const remarks: string[] = [];
  const files = new Map<string, string>();
  for (const block of blocks) {
    if (block.type === 'text') words.push(block.text);
    else if (block.type === 'resource_link')
      words.push(await linked(block.uri, { ...sources, files, remarks }));
    else if (block.type === 'resource' && 'text' in block.resource)
      words.push(await embedded(block.resource, { ...sources, files, remarks }));
    else throw refused(block.type);
  }
  const total = [...files.values()].reduce((sum, { length }) => sum + length, 0);
  if (total > MAX_TOTAL) throw tooMuch(total);
  const inline = [...files].map(([path, content]) => ({ path, content }));
  const task = words.join('').trim();
  if (task === '')
    throw RequestError.invalidParams(undefined, 'The prompt has no words. Write what is to be done.');
  if (task.includes('\0'))
    throw RequestError.invalidParams(undefined, 'The prompt holds a NUL character. Take it out.');
  return { task, context: { paths: [...files.keys()], inline: { files: inline } }, remarks };
}

interface Linked extends Sources {
  readonly files: Map<string, string>;
  readonly remarks: string[];
}

/** How the task names it. */
async function linked(uri: string, { root, folder, files, remarks }: Linked): Promise<string> {
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
 * A text that the editor sends along: of a file of the folder, or of anything else under its own address. That of a file
 * in which secrets are kept goes nowhere, wherever it lies (rule: secret-files).
 */
async function embedded(
  { uri, text }: { readonly uri: string; readonly text: string },
  { root, files, remarks }: Linked,
): Promise<string> {
  const path = pathOf(uri);
  const name = path === undefined ? uri : await nameOf(path, root);
  if (name === undefined || isSecretPath(name) || isSecretPlace(placeOf(uri))) {
    remarks.push(showExactLine(`${path ?? uri} was not sent: it is a place where secrets are kept.`));
    return path ?? uri;
  }
  const part = path === undefined ? name : `${name}${new URL(uri).hash}`;
  files.set(part, text);
  return `@${part}`;
}

/** As the folder names it, or as it stands outside; undefined for what the folder keeps to itself. */
async function nameOf(path: string, root: ProjectRoot): Promise<string | undefined> {
  return root.nameOf(path).catch((error) => (error instanceof SecurityViolation ? path : undefined));
}

/** The path in an address of any kind, as a person reads it: without query and fragment, `%2E` as the dot it means. */
function placeOf(uri: string): string {
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

function refused(type: string): RequestError {
  const what = type === 'resource' ? 'bytes' : type;
  return RequestError.invalidParams(
    { type },
    `A step carries text only: ${what} cannot be sent. Take it out and send the prompt again.`,
  );
}

const tooMuch = (total: number): RequestError =>
  RequestError.invalidParams(
    { total },
    `The files sent along have ${total} characters, and a step takes ${MAX_TOTAL}. Send fewer.`,
  );
