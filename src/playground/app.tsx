import { useEffect } from 'preact/hooks';
import { BranchBar } from './branches/branch-bar.js';
import { Composer } from './composer/composer.js';
import { PageHeader } from './header/page-header.js';
import { Inspector } from './inspect/inspector.js';
import { LiveSlot } from './live/live-slot.js';
import { isLive } from './live/live-view.js';
import { ApprovalCard } from './requests/approval-card.js';
import { QuestionBanner } from './requests/question-banner.js';
import { SetupPanel } from './setup/setup-panel.js';
import { loadModels } from './state/load-models.js';
import { draftTask } from './state/next-prompt.js';
import {
  active,
  branches,
  openingStep,
  selected,
  selectedCall,
  selectedStep,
  shown,
  shownId,
} from './state/runs.js';
import { keylessClient } from './state/settings.js';
import { panel } from './state/view-options.js';
import { LiveRegion } from './timeline/live-region.js';
import { PhaseOverlay } from './timeline/phase-overlay.js';
import { Timeline } from './timeline/timeline.js';
import { TodoPanel } from './timeline/todo-panel.js';
import { Welcome } from './timeline/welcome.js';

/** The whole page: the setup, the run, and the inspector of its steps. */
export function App() {
  useEffect(loadModels, [keylessClient.value]);
  useEffect(() => {
    document.addEventListener('keydown', onEscape);
    return () => document.removeEventListener('keydown', onEscape);
  }, []);
  return (
    <div class={`page show-${isLive.value ? 'live' : panel.value}`}>
      <PageHeader />
      {isLive.value ? <LiveSlot /> : <OwnRuns />}
    </div>
  );
}

/** The page without the steps of other clients: the setup, the visible run, and the inspector. */
function OwnRuns() {
  return (
    <>
      <aside class="panel panel-setup scroll" id="panel-setup" aria-label="Setup">
        <SetupPanel />
      </aside>
      <main class="panel panel-run" id="panel-run">
        <RunPanel />
      </main>
      <aside class="panel panel-inspect scroll" id="panel-inspect" aria-label="Inspector">
        <Inspector
          client={keylessClient.value}
          branch={shown.value}
          step={selectedStep.value}
          call={selectedCall.value}
        />
      </aside>
    </>
  );
}

function RunPanel() {
  const branch = shown.value;
  const run = active.value;
  return (
    <>
      <BranchBar branches={branches.value} shown={branch} onShow={showBranch} />
      {branch && <TodoPanel tasks={branch.view.tasks} />}
      <div class="scroll run-scroll">
        <div class="column">
          {branch ? (
            <>
              <Timeline branch={branch} selected={selected.value?.step ?? null} onSelect={selectStep} />
              {run && <PhaseOverlay activity={branch.view.activity} paused={run.paused.value} />}
            </>
          ) : (
            <Welcome onChoose={chooseTask} />
          )}
        </div>
      </div>
      {run?.approval.value && <ApprovalCard pending={run.approval.value} />}
      {run?.question.value && <QuestionBanner pending={run.question.value} />}
      <Composer />
      <LiveRegion view={branch?.view ?? null} />
    </>
  );
}

function chooseTask(task: string): void {
  draftTask.value = task;
  document.getElementById('task')?.focus();
}

function showBranch(id: string): void {
  const branch = branches.value.find((each) => each.id === id);
  shownId.value = id;
  selected.value = branch ? openingStep(branch) : null;
}

/**
 * Selects a step. During a run, selecting it again clears the selection, so that the inspector follows the newest step. On
 * narrow screens it opens the inspector.
 */
function selectStep(step: number, how: 'chosen' | 'passed'): void {
  const isNarrow = document.querySelector('.tabs')?.checkVisibility() ?? false;
  const isRunning = shown.value?.origin === 'live' && shown.value.view.result === null;
  const takesBack = isRunning && how === 'chosen' && !isNarrow && selected.value?.step === step;
  selected.value = takesBack ? null : { step, call: 0 };
  if (how === 'passed' || !isNarrow) return;
  panel.value = 'inspect';
  document.getElementById('tab-inspect')?.focus();
}

/** Stops the run, unless Escape closes a dialog or cancels input-method composition. */
function onEscape(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
  if (document.querySelector('dialog[open]')) return;
  active.value?.stop();
}
