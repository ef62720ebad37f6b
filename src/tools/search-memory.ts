import { lstat, readdir } from 'node:fs/promises';
import { byCodeUnits } from '../files/portable-path.js';
import { defineTool, type Tool } from '../sdk/actions/define-tool.js';
import { ToolError } from '../sdk/actions/tool-errors.js';
import type { Trajectory } from '../sdk/run/trajectory.js';
import { readTrajectory } from '../sdk/saved/read-trajectory.js';
import { ProjectRoot } from './project-root.js';
import { beginningOf, showing } from './read/limits.js';

/** Folder for saved runs, relative to the project. */
const PROJECT_RUNS_FOLDER = '.stepwise/runs';

const DEFAULT_LIMIT = 5;
/** Maximum number of characters shown of each saved answer. */
const MAX_ANSWER_LENGTH = 600;

/** Maximum size of a saved run, which may contain many images (rule: saved-attachments). */
const MAX_RUN_BYTES = 32 * 2 ** 20;

/** Maximum number of saved runs that a search reads; older ones are not found. */
const MAX_SEARCHED_RUNS = 200;

interface Memory {
  readonly path: string;
  readonly task: string;
  readonly answer: string;
  readonly score: number;
}

/** Creates `search_memory(query, limit)`, which searches the newest saved runs of this project. */
export const searchMemoryTool = (root: ProjectRoot, savedRunsFolder?: string): Tool =>
  defineTool({
    name: 'search_memory',
    defer: false,
    description: 'Search earlier runs on this project by words; shows their tasks and answers.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer', description: `Runs to show; default ${DEFAULT_LIMIT}.` },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ query, limit }, { signal }) => {
      const words = wordsOf(query);
      if (words.size === 0) throw new ToolError('The query has no words.');
      const memories = await readMemories(await placesOf(root, savedRunsFolder), words, signal);
      const found = memories.filter(({ score }) => score > 0);
      found.sort((a, b) => b.score - a.score || byCodeUnits(b.path, a.path));
      return render(found, Math.max(1, limit ?? DEFAULT_LIMIT));
    },
  });

/** A folder with saved runs, whose path is relative to `root`. */
interface Place {
  readonly root: ProjectRoot;
  readonly folder: string;
}

async function placesOf(root: ProjectRoot, savedRunsFolder: string | undefined): Promise<Place[]> {
  const inProject = { root, folder: PROJECT_RUNS_FOLDER };
  const saved = savedRunsFolder && (await ProjectRoot.open(savedRunsFolder).catch(() => undefined));
  return saved ? [{ root: saved, folder: '.' }, inProject] : [inProject];
}

async function readMemories(places: readonly Place[], words: ReadonlySet<string>, signal: AbortSignal) {
  const memories: Memory[] = [];
  const files = await Promise.all(places.map((place) => filesIn(place).catch(() => [])));
  const newestFirst = files.flat().sort((a, b) => b.changedAtMs - a.changedAtMs);
  for (const { root, path } of newestFirst.slice(0, MAX_SEARCHED_RUNS)) {
    signal.throwIfAborted();
    const saved = await readSaved(root, path);
    if (saved) memories.push(toMemory(path, saved, words));
  }
  return memories;
}

interface RunFile {
  readonly root: ProjectRoot;
  readonly path: string;
  readonly changedAtMs: number;
}

async function filesIn({ root, folder }: Place): Promise<readonly RunFile[]> {
  return root.useFolder(await root.nameOf(folder), async (pinned) => {
    const names = (await readdir(pinned)).filter((name) => name.endsWith('.json'));
    return Promise.all(
      names.map(async (name) => ({
        root,
        path: folder === '.' ? name : `${folder}/${name}`,
        changedAtMs: (await lstat(`${pinned}/${name}`).catch(() => undefined))?.mtimeMs ?? 0,
      })),
    );
  });
}

/**
 * Reads a saved run. Returns undefined for a damaged file, for a file of another kind, and for a run that has not
 * ended, such as the current one.
 */
async function readSaved(root: ProjectRoot, path: string): Promise<Trajectory | undefined> {
  try {
    const saved = readTrajectory((await root.readText(path, MAX_RUN_BYTES)).content);
    return saved.result ? saved : undefined;
  } catch (error) {
    if (error instanceof ToolError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/**
 * Returns a saved run with its score for the query: 3 points for each word of the query that the task contains, 1
 * for each that the answer or the thoughts contain.
 */
function toMemory(path: string, { task, result, responses }: Trajectory, words: ReadonlySet<string>): Memory {
  const answer = result?.answer ?? '(no answer)';
  const thoughts = responses.map(({ thought }) => thought ?? '').join(' ');
  const inTask = wordsOf(task);
  const inRest = wordsOf(`${answer} ${thoughts}`);
  let score = 0;
  for (const word of words) score += 3 * Number(inTask.has(word)) + Number(inRest.has(word));
  return { path, task, answer, score };
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu));
}

function render(found: readonly Memory[], limit: number): string {
  if (found.length === 0) return 'No earlier run matches the query.';
  const shown = found.slice(0, limit);
  const count = {
    shown: shown.length,
    total: found.length,
    what: 'runs',
    rest: 'use other words or a higher limit',
  };
  const entries = shown.map(({ path, task, answer }) => `${path}\nTask: ${task}\nAnswer: ${clip(answer)}`);
  return [...entries, showing(count)].join('\n\n');
}

const clip = (text: string): string =>
  text.length > MAX_ANSWER_LENGTH ? `${beginningOf(text, MAX_ANSWER_LENGTH)} …` : text;
