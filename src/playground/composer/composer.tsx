import { useEffect } from 'preact/hooks';
import { Icon } from '../controls/icon.js';
import { failureInWords } from '../run/failure-in-words.js';
import { draftAttachments } from '../state/draft-attachments.js';
import { canFollowUp, chooseFollowUp, followsUp, followUpOptions } from '../state/follow-up.js';
import { draftTask, nextPrompt, nextPromptProblem } from '../state/next-prompt.js';
import { active, branches, inWords, shown, startRun, trouble } from '../state/runs.js';
import { missing, settings } from '../state/settings.js';
import { starters } from '../state/starter-task.js';
import { plural } from '../text/figures.js';
import { AttachButton, AttachedFiles, attach } from './attached-files.js';
import { BudgetBar } from './budget-bar.js';

/** The task field, its buttons, and the budget bar of the next prompt. */
export function Composer() {
  useEffect(() => {
    const field = document.querySelector<HTMLTextAreaElement>('#task');
    // Focuses and selects the proposed task, so that typing replaces it.
    if (document.activeElement === document.body) field?.focus();
    field?.select();
  }, [starters.value]);
  useEffect(() => {
    document.addEventListener('keydown', onShortcut);
    return () => document.removeEventListener('keydown', onShortcut);
  }, []);
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
          placeholder={followsUp.value ? 'Ask a follow-up' : 'What should be found out or done?'}
          value={draftTask.value}
          onInput={({ currentTarget }) => {
            draftTask.value = currentTarget.value;
          }}
          onPaste={onPaste}
        />
        <AttachedFiles />
        <div class="composer-row">
          <AttachButton />
          <IterationsLeft />
          <FollowUp />
          <Buttons />
        </div>
      </div>
    </section>
  );
}

function Buttons() {
  const run = active.value;
  const mayStart = run ? run.paused.value : missing.value === null && draftTask.value.trim() !== '';
  const isBusy = run !== null && !run.paused.value;
  return (
    <div class="buttons">
      {missing.value && !run && <span class="muted">{missing.value}</span>}
      {run && (
        <button type="button" onClick={() => run.stop()} title="Esc">
          <Icon name="stop" /> Stop
        </button>
      )}
      {!isBusy && (
        <button
          type="button"
          disabled={!mayStart}
          onClick={() => void startOrResume(1)}
          title="Take one step, then wait"
        >
          <Icon name="step" /> Step
        </button>
      )}
      {!isBusy && (
        <button
          type="button"
          class="primary"
          disabled={!mayStart}
          onClick={() => void startOrResume()}
          title="Ctrl+Enter"
        >
          <Icon name="play" /> {run ? 'Go on' : 'Run'}
        </button>
      )}
    </div>
  );
}

/** Starts the run on Ctrl+Enter or Cmd+Enter anywhere on the page, except in forms and dialogs. */
function onShortcut(event: KeyboardEvent): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
  if (document.querySelector('dialog[open]')) return;
  if (event.target instanceof Element && event.target.closest('form')) return;
  event.preventDefault();
  void startOrResume();
}

/** Starts a run, or resumes the paused one. Clears the task field, and restores the task if the run fails. */
async function startOrResume(steps?: number): Promise<void> {
  if (active.value) return active.value.paused.value ? active.value.go(steps) : undefined;
  const task = draftTask.value.trim();
  if (missing.value !== null || task === '') return;
  const files = draftAttachments.value;
  const attachments = files.map(({ attachment }) => attachment);
  const options = { ...followUpOptions(), attachments };
  clearDraft();
  try {
    await startRun({ task, ...(steps !== undefined && { steps }), options });
    if (branches.value.at(-1)?.view.result?.stopReason !== 'error') return;
  } catch (error) {
    trouble.value = inWords(error);
  }
  if (draftTask.value !== '' || draftAttachments.value.length > 0) return;
  draftTask.value = task;
  draftAttachments.value = files;
}

function clearDraft(): void {
  draftTask.value = '';
  draftAttachments.value = [];
}

function FollowUp() {
  if (!canFollowUp.value) return null;
  return (
    <label class="check" title="Includes the whole run before the new task">
      <input
        type="checkbox"
        checked={followsUp.value}
        onChange={({ currentTarget }) => chooseFollowUp(currentTarget.checked)}
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
        <BudgetBar report={next} name={followsUp.value ? 'Next prompt' : 'First prompt'} />
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
