import { useEffect, useRef, useState } from 'preact/hooks';
import { spellUnseen } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import type { Branch } from '../run/branch.js';
import { active, closeBranch, renameBranch } from '../state/runs.js';
import { Exact } from '../text/exact.js';
import { plural } from '../text/figures.js';
import { BranchDialog } from './branch-dialog.js';
import { type BranchRow, branchTree, endOf } from './branch-tree.js';
import { ComparisonDialog, comparing } from './compare/comparison-dialog.js';
import { DropTarget } from './files/drop-target.js';
import { Notice } from './files/notice.js';
import { moveFocus } from './move-focus.js';
import { NameField, renaming } from './name-field.js';

export interface BranchBarProps {
  readonly branches: readonly Branch[];
  readonly shown: Branch | null;
  readonly onShow: (id: string) => void;
}

/** The runs of this visit as a tree, with the visible one selected. Placed above the timeline. */
export function BranchBar({ branches, shown, onShow }: BranchBarProps) {
  return (
    <>
      <Notice />
      {branches.length > 1 && <Tree branches={branches} shown={shown} onShow={onShow} />}
      <BranchDialog />
      <ComparisonDialog branches={branches} />
      <DropTarget />
    </>
  );
}

function Tree({ branches, shown, onShow }: BranchBarProps) {
  const list = useRef<HTMLUListElement>(null);
  const shownId = shown?.id;
  const [hasRoom] = useState(() => matchMedia('(min-width: 941px)').matches);
  useEffect(() => {
    list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [shownId]);
  return (
    <nav class="runs" aria-label="Runs">
      <details open={hasRoom}>
        <summary>
          <Icon name="chevron" />
          <b>Runs</b> <span class="figure muted">{branches.length}</span>
          <span class="runs-current muted">
            <Exact text={shown?.label ?? ''} />
          </span>
        </summary>
        <ul ref={list} onKeyDown={(event) => moveFocus(event, list.current?.querySelectorAll('.run-button'))}>
          {branchTree(branches).map((row) => (
            <Row key={row.branch.id} row={row} isShown={row.branch.id === shownId} onShow={onShow} />
          ))}
        </ul>
        {shown && <Actions shown={shown} />}
      </details>
    </nav>
  );
}

interface RowProps {
  readonly row: BranchRow;
  readonly isShown: boolean;
  readonly onShow: (id: string) => void;
}

const MAX_INDENT = 6;

function Row({ row: { branch, depth }, isShown, onShow }: RowProps) {
  const { id, label, parent, view } = branch;
  const end = endOf(branch);
  if (renaming.value === id) {
    return (
      <li class={`run-row indent-${Math.min(depth, MAX_INDENT)}`}>
        <NameField name={label} onName={(name) => renameBranch(id, name)} />
      </li>
    );
  }
  return (
    <li class={`run-row indent-${Math.min(depth, MAX_INDENT)}`}>
      <button
        type="button"
        class="run-button"
        aria-current={isShown ? 'true' : undefined}
        title={spellUnseen(label)}
        onClick={() => onShow(id)}
      >
        {parent && <Icon name="branch" />}
        <span class="run-label">
          <Exact text={label} />
        </span>
        <span class="run-facts muted figure">
          {plural(view.steps.length, 'step')} ·{' '}
          <span class={`run-end end-${view.result?.stopReason}`}>{end}</span>
        </span>
      </button>
    </li>
  );
}

function Actions({ shown }: { shown: Branch }) {
  const { id, parent } = shown;
  return (
    <div class="run-actions">
      <button
        type="button"
        class="quiet"
        onClick={() => {
          comparing.value = parent ? { left: parent.branchId, right: id } : { left: id, right: null };
        }}
      >
        <Icon name="compare" /> Compare…
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          renaming.value = id;
        }}
      >
        <Icon name="pencil" /> Rename
      </button>
      <button type="button" class="quiet" disabled={active.value !== null} onClick={() => closeBranch(id)}>
        <Icon name="cross" /> Close
      </button>
    </div>
  );
}
