import { useSignal } from '@preact/signals';
import type { RunOptions } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import { failureInWords } from '../run/failure-in-words.js';
import { draftAttachments } from '../state/draft-attachments.js';
import { draftTask, nextPrompt, nextPromptProblem } from '../state/next-prompt.js';
import { active, inWords, shown, startRun, trouble } from '../state/runs.js';
import { missing, settings } from '../state/settings.js';
import { plural } from '../text/figures.js';
import { AttachButton, AttachedFiles, attach } from './attached-files.js';
import { BudgetBar } from './budget-bar.js';

/** The task field, its buttons, and the budget bar of the next prompt. */
export function Composer() {
  const goOn = useSignal(false);
  const start = (steps?: number): void => void run(goOn.value, steps);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    start();
  };
  const onPaste = (event: ClipboardEvent): void => {
    const files = [...(event.clipboardData?.files ?? [])];
    // A paste may have both a text and a picture of the text, as from a spreadsheet; the text is used.
    if (files.length === 0 || event.clipboardData?.types.includes('text/plain')) return;
    event.preventDefault();
    void attach(files);
  };
  return (
    <section class="composer" aria-label="Task">
      <Budget />
      {trouble.value && trouble.value !== runFailure() && (
        <p class="failure" role="alert">
          <Icon name="warning" /> <span>{trouble.value}</span>
        </p>
      )}
      <div class="composer-box">
        <textarea
          id="task"
          rows={2}
          dir="auto"
          aria-label="Task"
          placeholder="What should be found out or done?"
          value={draftTask.value}
          onInput={({ currentTarget }) => {
            draftTask.value = currentTarget.value;
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <AttachedFiles />
        <div class="composer-row">
          <AttachButton />
          <IterationsLeft />
          <FollowUp value={goOn} />
          <Buttons start={start} />
        </div>
      </div>
    </section>
  );
}

function Buttons({ start }: { start: (steps?: number) => void }) {
  const run = active.value;
  const mayStart = run ? run.paused.value : missing.value === null && draftTask.value.trim() !== '';
  const isBusy = run !== null && !run.paused.value;
  return (
    <div class="buttons">
      {missing.value && !run && <span class="muted">{missing.value}</span>}
      {run && (
        <button type="button" class="danger" onClick={() => run.stop()} title="Esc">
          <Icon name="stop" /> Stop
        </button>
      )}
      {!isBusy && (
        <button type="button" disabled={!mayStart} onClick={() => start(1)} title="Take one step, then wait">
          <Icon name="step" /> Step
        </button>
      )}
      {!isBusy && (
        <button type="button" class="primary" disabled={!mayStart} onClick={() => start()} title="Ctrl+Enter">
          <Icon name="play" /> {run ? 'Go on' : 'Run'}
        </button>
      )}
    </div>
  );
}

/** Starts a run, or resumes the paused one. */
async function run(followsUp: boolean, steps?: number): Promise<void> {
  if (active.value) return active.value.paused.value ? active.value.go(steps) : undefined;
  const task = draftTask.value.trim();
  if (missing.value !== null || task === '') return;
  try {
    const attachments = draftAttachments.value.map(({ attachment }) => attachment);
    const options = { ...(followsUp && goOnOptions()), attachments };
    await startRun({ task, ...(steps !== undefined && { steps }), options });
  } catch (error) {
    trouble.value = inWords(error);
  }
}

/** Returns the history, TODO list and session that a follow-up run takes over from the visible run. */
function goOnOptions(): Partial<RunOptions> | undefined {
  const saved = shown.value?.saved;
  return saved
    ? { history: saved.history, tasks: saved.tasks, projectId: saved.projectId, sessionId: saved.sessionId }
    : undefined;
}

function FollowUp({ value }: { value: { value: boolean } }) {
  if (active.value || !shown.value?.saved || !shown.value.view.result) return null;
  return (
    <label class="check" title="Includes the whole run before the new task">
      <input
        type="checkbox"
        checked={value.value}
        onChange={({ currentTarget }) => {
          value.value = currentTarget.checked;
        }}
      />
      Follow up on this run
    </label>
  );
}

function IterationsLeft() {
  const view = active.value ? shown.value?.view : undefined;
  const left = view ? view.iterationsLeft : settings.value.maxSteps;
  return (
    <span class="iterations muted figure">
      {plural(left, 'step')} {view ? 'left' : 'at most'}
    </span>
  );
}

/** Shows the budget of the newest prompt during a run, otherwise of the prompt that Run would send. */
function Budget() {
  const calls = active.value ? (shown.value?.view.steps.flatMap((step) => step.calls) ?? []) : [];
  const newest = calls.findLast(({ response }) => response?.context_report)?.response?.context_report;
  if (newest) return <BudgetBar report={newest} name="Newest prompt" />;
  const next = nextPrompt.value?.context_report;
  if (next)
    return (
      <div class={shown.value ? '' : 'note-beside'}>
        <BudgetBar report={next} name="First prompt" />
      </div>
    );
  const problem = nextPromptProblem.value;
  const isShownByCall = problem === trouble.value || problem === runFailure();
  return problem !== null && !isShownByCall ? <p class="problem">{problem}</p> : <div class="budget-empty" />;
}

/** Returns the run's failure unless the newest step already shows it. */
function runFailure(): string | null {
  const failure = shown.value?.view.steps.at(-1)?.calls.at(-1)?.failures.at(-1);
  return failure ? failureInWords(failure.error) : null;
}
