import type { StepView } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import type { Branch } from '../run/branch.js';
import { active } from '../state/runs.js';
import { changeableActions } from './branch-draft.js';
import { leaving } from './start-branch.js';

export interface StepActionsProps {
  readonly branch: Branch;
  readonly step: StepView;
}

/** Buttons to redo a step, or to continue from it with another result. Empty during a run. */
export function StepActions({ branch, step }: StepActionsProps) {
  if (!branch.saved || active.value) return null;
  const begins = branch.view.inherited === step.number;
  const canChange = changeableActions(step).length > 0;
  const leave = (keepsStep: boolean) => () => {
    leaving.value = { branch, step, keepsStep };
  };
  return (
    <>
      <div class="step-actions">
        <button type="button" class="quiet" onClick={leave(false)}>
          <Icon name="branch" /> Try again from here…
          <span class="hidden"> Step {step.number}</span>
        </button>
        {canChange && (
          <button type="button" class="quiet" onClick={leave(true)}>
            <Icon name="pencil" /> Change the result…
            <span class="hidden"> Step {step.number}</span>
          </button>
        )}
      </div>
      {begins && <p class="fork-mark">Here the branch begins: {branch.parent?.change}</p>}
    </>
  );
}
