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
import { draftAttachments } from './draft-attachments.js';
import { followUpOptions } from './follow-up.js';
import { active, inWords, readContents } from './runs.js';
import { keylessClient, settings } from './settings.js';

/** Preview of the first step with the current settings; null until it is loaded. */
export const nextPrompt = signal<Preview | null>(null);
/** The reason why there is no preview. */
export const nextPromptProblem = signal<string | null>(null);
/** The text in the task field. */
export const draftTask = signal('');

/** Delay before a request, so that moving a slider sends only one. */
const SETTLE_MS = 120;

/** Builds the request that a run would begin with. Sends nothing: stops the run once it reports the request. */
async function firstRequest(
  sender: StepwiseClient,
  task: string,
  options: RunOptions,
): Promise<StepRequestInput | undefined> {
  let reported: StepRequestInput | undefined;
  const run = sender.run(task, {
    ...options,
    onRequest: (request) => {
      reported = request;
      run.stop();
    },
  });
  await run.result();
  return reported;
}

/** Updates the preview when the settings change, except during a run. */
export function followSettings(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking = new AbortController();
  return effect(() => {
    // Reads every setting here, so that a change of any of them updates the preview.
    const given = {
      sender: keylessClient.value,
      settings: settings.value,
      tools: tools.value,
      task: draftTask.value,
      files: draftAttachments.value,
      followUp: followUpOptions(),
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
  readonly files: typeof draftAttachments.value;
  readonly followUp: Partial<RunOptions>;
}

async function refresh(
  { sender, settings: wanted, tools: offered, task, files, followUp }: Given,
  abandoned: AbortSignal,
): Promise<void> {
  try {
    const attachments = files.map(({ attachment }) => attachment);
    const options = { ...toRunOptions(wanted, offered, await readContents()), ...followUp, attachments };
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

/** Explains why there is no preview; if the limit is too small, names the required one. */
export function problemOf(error: unknown): string {
  if (!(error instanceof StepwiseError)) return inWords(error, 'The prompt could not be loaded.');
  const found = error.body?.error.details ?? [];
  const details = found.map(({ message }) => message);
  if (error.code === 'token_budget_exceeded')
    return ['Even the shortest prompt does not fit.', ...details].join(' ');
  if (error.code === 'invalid_request')
    return `The service rejects these settings. ${found.map(({ path, message }) => `${path ?? ''}: ${message}`).join(' ')}`;
  if (error.code === 'unsupported_model')
    return 'The service knows no provider for this model: choose an upstream.';
  return inWords(error);
}
