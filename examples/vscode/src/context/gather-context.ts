import type { Attachment, RunContext } from 'stepwise';
import { type Folder, isSecretPath, type StoredFolder } from 'stepwise/tools/browser';
import type { OfferedFile } from './offered-files.js';
import { type Reading, readForTask, type SentFile, secretRefusal } from './read-for-task.js';

/** Maximum length of all files together, in characters: larger requests exceed the service's limit. */
const MAX_TOTAL_LENGTH = 4_000_000;

/** The context of a task, its images and PDF files, and one sentence for each file that was refused. */
export interface Gathered {
  readonly context: RunContext;
  readonly attachments: readonly Attachment[];
  readonly refusals: readonly string[];
}

interface ReadFile extends Pick<OfferedFile, 'kind' | 'path' | 'selection'> {
  readonly files: readonly SentFile[];
}

/**
 * Gathers the files of a task, including unsaved text. Tagged and `@path` files come first; files of open editors come
 * last, as long as the total length allows.
 */
export async function gatherContext(
  folder: StoredFolder,
  { offered, task, signal }: { offered: readonly OfferedFile[]; task: string; signal: AbortSignal },
): Promise<Gathered> {
  const names = mentionedNames(task);
  const refusals = [
    ...offered.flatMap(({ refusal }) => refusal ?? []),
    ...names.filter(isSecretPath).map(secretRefusal),
  ];
  const sendable = offered.filter(({ refusal }) => refusal === null);
  const wanted = [...(await mentionedFiles(folder, names)), ...sendable].filter(
    ({ kind, path }, index, all) =>
      kind === 'focus' || all.findIndex((each) => each.kind !== 'focus' && each.path === path) === index,
  );
  const read: ReadFile[] = [];
  const attachments: Attachment[] = [];
  let total = 0;
  for (const { kind, path, selection } of wanted) {
    const reading = withinTotal(path, await readForTask(folder, path, signal), total);
    if ('refusal' in reading) refusals.push(reading.refusal);
    else if (reading.attachment) attachments.push(reading.attachment);
    else read.push({ kind, path, selection, files: reading.files });
    total += 'files' in reading ? lengthOf(reading) : 0;
  }
  return { context: contextOf(read), attachments, refusals: [...new Set(refusals)] };
}

const lengthOf = ({ files, attachment }: Exclude<Reading, { refusal: string }>): number =>
  files.reduce((sum, { content }) => sum + content.length, attachment?.data.length ?? 0);

function withinTotal(path: string, reading: Reading, total: number): Reading {
  if ('refusal' in reading || total + lengthOf(reading) <= MAX_TOTAL_LENGTH) return reading;
  return { refusal: `${path} is not sent: with the other files it would be too much for one request.` };
}

function mentionedNames(task: string): readonly string[] {
  const names = [...task.matchAll(/(?<=^|\s)@([^\s@]+)/g)].map(([, name = '']) =>
    name.replace(/[.,;:!?)]+$/, ''),
  );
  return [...new Set(names)];
}

/** Finds the files that the task names as `@path`; ignores words that are no paths. */
async function mentionedFiles(
  folder: Folder,
  names: readonly string[],
): Promise<Pick<OfferedFile, 'kind' | 'path' | 'selection'>[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const kind = await folder.kindOf(name).catch(() => undefined);
      return kind && name !== ''
        ? [{ kind: 'tagged' as const, path: await folder.nameOf(name), selection: null }]
        : [];
    }),
  );
  return found.flat();
}

function contextOf(read: readonly ReadFile[]): RunContext {
  const tagged = read.filter(({ kind }) => kind === 'tagged');
  const focus = read.find(({ kind }) => kind === 'focus');
  const editors = read.filter(({ kind }) => kind === 'editor');
  const files = [...tagged, ...(focus ? [focus] : [])].flatMap((each) => each.files);
  return {
    ...(tagged.length > 0 && { paths: tagged.map(({ path }) => path) }),
    ...(focus && {
      focus: {
        last_focused_file_path: focus.path,
        ...(focus.selection && { selection: focus.selection }),
      },
    }),
    // The service ranks search results without a score last, so files of open editors come after tagged files.
    ...(editors.length > 0 && { vectorResults: editors.flatMap((each) => each.files) }),
    ...(files.length > 0 && { inline: { files } }),
  };
}
