import { useLayoutEffect, useRef } from 'preact/hooks';
import { spellUnseen } from '../../sdk/index.js';
import { Icon } from '../controls/icon.js';
import { settings } from '../state/settings.js';
import { Exact } from '../text/exact.js';
import { FileMarks, FolderMark, marksInWords, toggleTag } from './file-marks.js';
import type { TreeRow } from './tree-rows.js';
import {
  activate,
  activeRow,
  drawnRows,
  pressKey,
  ROW_HEIGHT,
  rows,
  toggleFolder,
  view,
  wantsFocus,
} from './tree-state.js';

/** The project's files as a WAI-ARIA tree that renders only the visible rows. */
export function FileTree() {
  const box = useRef<HTMLDivElement>(null);
  const count = rows.value.length;
  useLayoutEffect(() => {
    if (!box.current) return;
    const observer = new ResizeObserver(([entry]) => look(entry?.target));
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [count === 0]);
  useLayoutEffect(() => {
    if (box.current && wantsFocus.value) focusActive(box.current);
  });
  if (count === 0) return null;
  return (
    <div
      ref={box}
      class="file-tree"
      role="tree"
      aria-label="Files of the project"
      aria-multiselectable="true"
      tabIndex={-1}
      onScroll={({ currentTarget }) => look(currentTarget)}
      onKeyDown={onKey}
    >
      <div role="none" class="file-tree-space" style={{ height: `${count * ROW_HEIGHT}px` }}>
        {drawnRows.value.map(({ row, index }) => (
          <Row key={row.entry.path} row={row} index={index} isActive={index === activeRow.value} />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: TreeRow;
  readonly index: number;
  /** True for the row that is the Tab stop. */
  readonly isActive: boolean;
}

function Row({ row: { entry, level, position, siblings, isOpen }, index, isActive }: RowProps) {
  const { name, path, entries } = entry;
  const isFile = entries === undefined;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys of all its rows
    <div
      class="file-tree-row"
      role="treeitem"
      aria-label={spellUnseen(name) + marksInWords(path)}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-expanded={isFile ? undefined : isOpen}
      aria-selected={settings.value.tagged.includes(path)}
      tabIndex={isActive ? 0 : -1}
      title={spellUnseen(path)}
      style={{ transform: `translateY(${index * ROW_HEIGHT}px)`, paddingInlineStart: `${level * 14 - 8}px` }}
      onFocus={() => activate(path)}
      onClick={() => !isFile && toggleFolder(path)}
    >
      <Icon name={isFile ? 'file' : 'chevron'} />
      <Exact text={name} />
      {isFile ? (
        <FileMarks path={path} isReached={isActive} />
      ) : (
        <FolderMark path={path} isReached={isActive} />
      )}
    </div>
  );
}

function look(box: Element | undefined): void {
  if (box) view.value = { top: box.scrollTop, height: box.clientHeight };
}

/** Buttons in a row handle their own keys, except for the arrows. */
function onKey(event: KeyboardEvent): void {
  const inMark = event.target instanceof Element && event.target.closest('button') !== null;
  if (event.ctrlKey || event.metaKey || event.altKey || (inMark && !event.key.startsWith('Arrow'))) return;
  if (!(event.key === 'Enter' || event.key === ' ' ? pressActive() : pressKey(event.key))) return;
  event.preventDefault();
}

/** Opens or closes the active folder; adds the active file to the context, or removes it. */
function pressActive(): boolean {
  const entry = rows.value[activeRow.value]?.entry;
  if (entry?.entries) toggleFolder(entry.path);
  else if (entry) toggleTag(entry.path);
  return entry !== undefined;
}

/** Scrolls just far enough to reveal the active row, and focuses it. */
function focusActive(box: HTMLElement): void {
  wantsFocus.value = false;
  const top = activeRow.value * ROW_HEIGHT;
  const highest = top + ROW_HEIGHT - box.clientHeight;
  box.scrollTop = Math.min(top, Math.max(highest, box.scrollTop));
  box.querySelector<HTMLElement>('[role="treeitem"][tabindex="0"]')?.focus({ preventScroll: true });
}
