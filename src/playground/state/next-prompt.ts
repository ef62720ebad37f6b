import { effect, signal } from '@preact/signals';
import {
  type Preview,
  type RunOptions,
  type StepRequestInput,
  type StepwiseClient,
  StepwiseError,
} from '../../sdk/index.js';
import { project, tools } from '../project/project.js';
import { toRunOptions } from '../run/run-options.js';
import { active, inWords, readContents } from './runs.js';
import { keylessClient, settings } from './settings.js';

/** What the first step with these settings would send; null until it is known. */
export const nextPrompt = signal<Preview | null>(null);
/** Why it is not known. */
export const nextPromptProblem = signal<string | null>(null);
/** The task as it stands in the composer. */
export const draftTask = signal('');

/** In milliseconds: a slider that moves asks for one preview, not for fifty. */
const SETTLE_MS = 120;

/** The request a run would begin with. Nothing is sent: the run is stopped as soon as it has told the request. */
async function firstRequest(
  sender: StepwiseClient,
  task: string,
  options: RunOptions,
): Promise<StepRequestInput | undefined> {
  let told: StepRequestInput | undefined;
  const run = sender.run(task, {
    ...options,
    onRequest: (request) => {
      told = request;
      run.stop();
    },
  });
  await run.result();
  return told;
}

/** Keeps the preview in step with the settings, unless a run is on its way. */
export function followSettings(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  return effect(() => {
    // Read here, so that each of them brings a new preview.
    const given = {
      sender: keylessClient.value,
      settings: settings.value,
      tools: tools.value,
      task: draftTask.value,
    };
    if (!project.value || active.value) return;
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const { signal: abandoned } = asking;
    timer = setTimeout(() => void refresh(given, abandoned), SETTLE_MS);
  });
}

interface Given {
  readonly sender: StepwiseClient;
  readonly settings: typeof settings.value;
  readonly tools: typeof tools.value;
  readonly task: string;
}

async function refresh(
  { sender, settings: wanted, tools: offered, task }: Given,
  abandoned: AbortSignal,
): Promise<void> {
  try {
    const options = toRunOptions(wanted, offered, await readContents());
    const request = await firstRequest(sender, task.trim() || 'A task', options);
    if (!request || abandoned.aborted) return;
    nextPrompt.value = await sender.preview(request, { signal: abandoned });
    nextPromptProblem.value = null;
  } catch (error) {
    if (abandoned.aborted) return;
    nextPrompt.value = null;
    nextPromptProblem.value = problemOf(error);
  }
}

/** Why there is no preview, in words; of a limit that is too small, what is needed. */
export function problemOf(error: unknown): string {
  if (!(error instanceof StepwiseError)) return inWords(error);
  const found = error.body?.error.details ?? [];
  const details = found.map(({ message }) => message);
  if (error.code === 'token_budget_exceeded') return ['Even the least does not fit.', ...details].join(' ');
  if (error.code === 'invalid_request')
    return `The service does not take it. ${found.map(({ path, message }) => `${path ?? ''}: ${message}`).join(' ')}`;
  if (error.code === 'unsupported_model') return 'No provider is known for this model: choose an upstream.';
  return inWords(error);
}
