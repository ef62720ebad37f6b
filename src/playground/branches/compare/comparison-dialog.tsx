import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Branch } from '../../run/branch.js';
import { branches as allBranches } from '../../state/runs.js';
import { plural } from '../../text/figures.js';
import { endOf } from '../branch-tree.js';
import { moveFocus } from '../move-focus.js';
import { alignSteps } from './align-steps.js';
import { StepComparison } from './step-comparison.js';

/** Ids of the two runs to compare; an id is null until its run is chosen. */
export const comparing = signal<{ readonly left: string | null; readonly right: string | null } | null>(null);

const found = (id: string | null | undefined): Branch | undefined =>
  allBranches.value.find((branch) => branch.id === id);
const left = computed(() => found(comparing.value?.left) ?? otherThan(comparing.value?.right));
const right = computed(() => found(comparing.value?.right) ?? otherThan(comparing.value?.left));
const otherThan = (id: string | null | undefined): Branch | undefined =>
  allBranches.value.findLast((branch) => branch.id !== id);

/** Compares two runs side by side, step by step. */
export function ComparisonDialog({ branches }: { branches: readonly Branch[] }) {
  if (!comparing.value || !left.value || !right.value) return null;
  return <OpenDialog branches={branches} left={left.value} right={right.value} />;
}

interface OpenDialogProps {
  readonly branches: readonly Branch[];
  readonly left: Branch;
  readonly right: Branch;
}

function OpenDialog({ branches, left: ours, right: theirs }: OpenDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [onlyChanges, setOnlyChanges] = useState(false);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  const pairs = alignSteps(ours.view, theirs.view);
  const changed = pairs.filter(({ isSame }) => !isSame);
  const isSameTask = ours.view.task === theirs.view.task;
  return (
    <dialog
      ref={dialog}
      class="dialog dialog-compare"
      aria-labelledby="compare-title"
      onClose={() => {
        comparing.value = null;
      }}
      onKeyDown={(event) => moveFocus(event, dialog.current?.querySelectorAll('.pair-head'))}
    >
      <header class="compare-head">
        <h2 id="compare-title">Compare</h2>
        <p class="muted small">
          {changed.length === 0
            ? 'Both runs are the same.'
            : `${plural(changed.length, 'step')} of ${pairs.length} differ.`}
        </p>
        <label class="check">
          <input
            type="checkbox"
            checked={onlyChanges}
            onChange={({ currentTarget }) => setOnlyChanges(currentTarget.checked)}
          />
          Only differences
        </label>
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </header>
      <div class="compare-sides compare-runs">
        <RunChoice
          name="Left"
          branches={branches}
          chosen={ours}
          onChosen={(id) => choose({ left: id, right: theirs.id })}
        />
        <RunChoice
          name="Right"
          branches={branches}
          chosen={theirs}
          onChosen={(id) => choose({ left: ours.id, right: id })}
        />
      </div>
      <div class="compare-scroll" tabIndex={-1}>
        {!isSameTask && (
          <div class="compare-sides compare-tasks">
            <p dir="auto">{ours.view.task}</p>
            <p dir="auto">{theirs.view.task}</p>
          </div>
        )}
        <ol>
          {pairs
            .filter(({ isSame }) => !(onlyChanges && isSame))
            .map((pair) => (
              <StepComparison key={pair.number} pair={pair} names={[ours.label, theirs.label]} />
            ))}
        </ol>
        <div class="compare-sides compare-ends">
          <p>{endOf(ours)}</p>
          <p>{endOf(theirs)}</p>
        </div>
      </div>
    </dialog>
  );
}

const choose = (pair: { left: string; right: string }): void => {
  comparing.value = pair;
};

interface RunChoiceProps {
  readonly name: 'Left' | 'Right';
  readonly branches: readonly Branch[];
  readonly chosen: Branch;
  readonly onChosen: (id: string) => void;
}

const RunChoice = ({ name, branches, chosen, onChosen }: RunChoiceProps) => (
  <label>
    <span class="hidden">{name} run</span>
    <select value={chosen.id} onChange={({ currentTarget }) => onChosen(currentTarget.value)}>
      {branches.map(({ id, label }, index) => (
        <option value={id}>
          {index + 1}. {label}
        </option>
      ))}
    </select>
  </label>
);
