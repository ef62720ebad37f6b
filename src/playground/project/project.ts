import { batch, computed, signal } from '@preact/signals';
import type { Tool } from '../../sdk/index.js';
import {
  type ChangedFile,
  createFileTools,
  type FileStore,
  matchLinesInWorker,
  StoredFolder,
} from '../../tools/portable/index.js';
import { change } from '../state/settings.js';
import { startSearchWorker } from '../state/start-search-worker.js';
import { type Listing, listProject } from './list-project.js';

/** Location of a project's files: bundled with the page, a folder on disk, or a copy in the page's memory. */
export type Origin = 'example' | 'disk' | 'copy';

/** The folder in which a run works. */
export interface Project {
  readonly name: string;
  readonly origin: Origin;
  readonly tools: readonly Tool[];
  /** Reads a text file; undefined if it is missing, binary or forbidden. */
  read(path: string): Promise<string | undefined>;
}

export const project = signal<Project | null>(null);
export const tools = computed(() => project.value?.tools ?? []);

const nothingListed: Listing = { paths: [], unreadable: 0, isDone: false };
/** The files that a tool would list, as far as they have been found. */
export const listing = signal<Listing>(nothingListed);
/** Files that tools wrote, with their previous texts. */
export const changes = signal<readonly ChangedFile[]>([]);
/** The reason why a folder could not be opened or read. */
export const problem = signal<string | null>(null);

/** Reasons why requested files could not be sent, by path. */
export const unsent = signal<ReadonlyMap<string, string>>(new Map());

const matchLines = matchLinesInWorker(startSearchWorker);
let walk = new AbortController();

/** Opens a project in place of the current one; clears the tagged files and the list of changes. */
export function openProject({
  name,
  origin,
  store,
}: Pick<Project, 'name' | 'origin'> & { store: FileStore }): void {
  const folder = new StoredFolder(store, { onChange: () => showChanges(folder) });
  walk.abort();
  walk = new AbortController();
  batch(() => {
    project.value = {
      name,
      origin,
      tools: createFileTools(folder, { matchLines }),
      read: (path) => readFile(folder, path),
    };
    listing.value = nothingListed;
    changes.value = [];
    unsent.value = new Map();
    problem.value = null;
    change({ tagged: [], pinned: [], focus: null });
  });
  void list(folder, walk.signal);
}

async function list(folder: StoredFolder, signal: AbortSignal): Promise<void> {
  try {
    for await (const found of listProject(folder, signal)) listing.value = found;
  } catch (error) {
    if (!signal.aborted)
      problem.value = `The folder cannot be read. ${error instanceof Error ? error.message : ''}`;
  }
}

async function readFile(folder: StoredFolder, path: string): Promise<string | undefined> {
  try {
    const text = await folder.readIfText(path);
    noteUnsent(path, text ? undefined : 'It was not sent because it is not a text file.');
    return text?.content;
  } catch (error) {
    noteUnsent(path, error instanceof Error ? error.message : undefined);
    return undefined;
  }
}

function noteUnsent(path: string, why: string | undefined): void {
  if (unsent.value.get(path) === why) return;
  const others = [...unsent.value].filter(([each]) => each !== path);
  unsent.value = new Map(why === undefined ? others : [...others, [path, why]]);
}

/** Lists new files even if a rule ignores them, since a tool has just written them. */
function showChanges(folder: StoredFolder): void {
  changes.value = folder.changes;
  const { paths } = listing.value;
  const known = new Set(paths);
  const added = folder.changes.map(({ path }) => path).filter((path) => !known.has(path));
  if (added.length > 0) listing.value = { ...listing.value, paths: [...paths, ...added] };
}
