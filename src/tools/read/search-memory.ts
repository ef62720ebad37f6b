import { defineTool, type Tool, type ToolContext } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import { readTrajectory, type Trajectory } from '../../sdk/saved/trajectory.js';
import type { ProjectRoot } from '../project-root.js';
import { readText } from '../read-text.js';
import { walkFiles } from '../walk-files.js';
import { showing } from './showing.js';

/** Where saved runs of a project are kept, relative to it. */
export const runsFolder = '.stepwise/runs';

const defaultLimit = 5;
/** In characters. */
const maxAnswerLength = 600;

interface Memory {
  readonly path: string;
  readonly task: string;
  readonly answer: string;
  readonly score: number;
}

/** `search_memory(query, limit)`: what was found out in saved runs of this project. */
export const searchMemoryTool = (root: ProjectRoot): Tool =>
  defineTool({
    name: 'search_memory',
    description: 'Search earlier runs on this project by words; shows their tasks and answers.',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string' },
        limit: { type: 'integer', description: `Runs to show; default ${defaultLimit}.` },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ query, limit }, context) => {
      const words = wordsOf(query);
      if (words.size === 0) throw new ToolError('The query has no words.');
      const found = (await readMemories(root, words, context)).filter(({ score }) => score > 0);
      found.sort((a, b) => b.score - a.score || b.path.localeCompare(a.path));
      return render(found, Math.max(1, limit ?? defaultLimit));
    },
  });

async function readMemories(root: ProjectRoot, words: ReadonlySet<string>, { signal }: ToolContext) {
  const memories: Memory[] = [];
  for (const path of await savedRuns(root, signal)) {
    const saved = await readSaved(root, path);
    if (saved) memories.push(toMemory(path, saved, words));
  }
  return memories;
}

async function savedRuns(root: ProjectRoot, signal: AbortSignal): Promise<string[]> {
  const paths: string[] = [];
  try {
    for await (const { path, type } of walkFiles(root, runsFolder, { signal, maxDepth: 1 })) {
      if (type === 'file' && path.endsWith('.json')) paths.push(path);
    }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
  }
  return paths;
}

/** What is no saved run, or is damaged, is passed over. */
async function readSaved(root: ProjectRoot, path: string): Promise<Trajectory | undefined> {
  try {
    return readTrajectory(await readText(root, path));
  } catch (error) {
    if (error instanceof ToolError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A word of the task counts three times one of the answer or the thoughts. */
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
  if (found.length === 0) return 'No earlier run fits.';
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
  text.length > maxAnswerLength ? `${text.slice(0, maxAnswerLength)} …` : text;
