import { computed, effect, signal } from '@preact/signals';
import { listing, project } from './project.js';
import { findRow, moveInTree, type TreeRow, toggled, toTree, visibleRows } from './tree-rows.js';

/** Row height in pixels; must equal the one in the style sheet. */
export const ROW_HEIGHT = 26;
/** Number of rows rendered above and below the visible ones. */
const MARGIN = 10;
/** Maximum pause in milliseconds between two letters of one typed name. */
const TYPING_PAUSE_MS = 700;

const openFolders = signal<ReadonlySet<string>>(new Set());
const activePath = signal('');
/** Visible part of the tree, in pixels. */
export const view = signal({ top: 0, height: 0 });
/** True if the active row should take the focus when rendered. */
export const wantsFocus = signal(false);

const tree = computed(() => toTree(listing.value.paths));
export const rows = computed(() => visibleRows(tree.value, openFolders.value));
/** Index of the row that is the Tab stop: the row that was used last, at first the first row. */
export const activeRow = computed(() =>
  Math.max(
    0,
    rows.value.findIndex(({ entry }) => entry.path === activePath.value),
  ),
);

/** Index of the first rendered row. It changes only once per row of scrolling, which avoids needless rendering. */
const firstDrawn = computed(() => Math.max(0, Math.floor(view.value.top / ROW_HEIGHT) - MARGIN));
const lastDrawn = computed(() => Math.ceil((view.value.top + view.value.height) / ROW_HEIGHT) + MARGIN);

/** The rows to render: those near the visible part, and always the active one, which must not lose the focus. */
export const drawnRows = computed(() => {
  const [first, last, active] = [firstDrawn.value, lastDrawn.value, activeRow.value];
  const indexes = rows.value.slice(first, last).map((_, offset) => first + offset);
  if (active < first) indexes.unshift(active);
  if (active >= last) indexes.push(active);
  return indexes.map((index) => ({ index, row: rows.value[index] })).filter(isDrawn);
});

interface DrawnRow {
  readonly index: number;
  readonly row: TreeRow;
}
const isDrawn = (each: { index: number; row: TreeRow | undefined }): each is DrawnRow =>
  each.row !== undefined;

export function activate(path: string): void {
  activePath.value = path;
}

/** Opens a closed folder and closes an open one. */
export function toggleFolder(path: string): void {
  openFolders.value = toggled(openFolders.value, path);
}

/** The letters of a name typed so far, and the time of the last one. */
const typed = { text: '', at: 0 };

/** Handles a key; returns false if it has no meaning in a tree. */
export function pressKey(key: string): boolean {
  const move = moveInTree(key, { rows: rows.value, at: activeRow.value, open: openFolders.value });
  if (move?.open) openFolders.value = move.open;
  if (move?.to !== undefined) goTo(move.to);
  if (move) typed.text = '';
  return move !== undefined || typeName(key);
}

/** Moves to the next name that begins with the typed letters. */
function typeName(key: string): boolean {
  if (key.length !== 1 || key === ' ') return false;
  const now = performance.now();
  typed.text = now - typed.at < TYPING_PAUSE_MS ? typed.text + key : key;
  typed.at = now;
  const found = findRow(rows.value, activeRow.value, typed.text);
  if (found !== undefined) goTo(found);
  return true;
}

function goTo(index: number): void {
  activePath.value = rows.value[index]?.entry.path ?? '';
  wantsFocus.value = true;
}

effect(() => {
  if (!project.value) return;
  openFolders.value = new Set();
  activePath.value = '';
});
