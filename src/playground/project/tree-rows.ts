/** A file or folder of the tree. */
export interface TreeEntry {
  readonly name: string;
  readonly path: string;
  /** Contents of a folder: first the folders, then the files, both sorted by name; absent for files. */
  readonly entries?: readonly TreeEntry[];
}

/** One visible line of the tree. */
export interface TreeRow {
  readonly entry: TreeEntry;
  /** Depth, starting at 1. */
  readonly level: number;
  /** Position among its siblings, starting at 1. */
  readonly position: number;
  readonly siblings: number;
  readonly isOpen: boolean;
}

/** A folder that sorts its contents when it is first opened, since most folders of a large tree never are. */
class FolderEntry implements TreeEntry {
  readonly name: string;
  readonly path: string;
  readonly #below = new Map<string, TreeEntry>();
  #sorted: readonly TreeEntry[] | undefined;

  constructor(name: string, path: string) {
    this.name = name;
    this.path = path;
  }

  get entries(): readonly TreeEntry[] {
    this.#sorted ??= [...this.#below.values()].sort(foldersThenNames);
    return this.#sorted;
  }

  folder(name: string): FolderEntry {
    const known = this.#below.get(name);
    if (known instanceof FolderEntry) return known;
    const folder = new FolderEntry(name, this.#pathOf(name));
    this.#below.set(name, folder);
    return folder;
  }

  addFile(name: string): void {
    this.#below.set(name, { name, path: this.#pathOf(name) });
  }

  #pathOf(name: string): string {
    return this.path === '' ? name : `${this.path}/${name}`;
  }
}

const { compare } = new Intl.Collator(undefined, { numeric: true });
const foldersThenNames = (a: TreeEntry, b: TreeEntry): number =>
  Number(b instanceof FolderEntry) - Number(a instanceof FolderEntry) || compare(a.name, b.name);

/** Builds an unnamed root folder from slash-separated paths. */
export function toTree(paths: readonly string[]): TreeEntry {
  const root = new FolderEntry('', '');
  for (const path of paths) {
    const parts = path.split('/');
    const name = parts.pop() ?? '';
    parts.reduce((folder, part) => folder.folder(part), root).addFile(name);
  }
  return root;
}

/** Returns the visible rows of a tree, given the paths of its open folders. */
export function visibleRows(tree: TreeEntry, open: ReadonlySet<string>): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const add = ({ entries = [] }: TreeEntry, level: number): void => {
    for (const [index, entry] of entries.entries()) {
      const isOpen = entry.entries !== undefined && open.has(entry.path);
      rows.push({ entry, level, position: index + 1, siblings: entries.length, isOpen });
      if (isOpen) add(entry, level + 1);
    }
  };
  add(tree, 1);
  return rows;
}

/** Effect of a key in a WAI-ARIA tree: the row to move to, and the new set of open folders. */
export interface TreeMove {
  readonly to?: number;
  readonly open?: ReadonlySet<string>;
}

/** Returns the effect of a key; undefined if it has no meaning in a tree. */
export function moveInTree(
  key: string,
  {
    rows,
    at,
    open,
  }: { readonly rows: readonly TreeRow[]; readonly at: number; readonly open: ReadonlySet<string> },
): TreeMove | undefined {
  const row = rows[at];
  if (!row) return undefined;
  const { entry, isOpen } = row;
  switch (key) {
    case 'ArrowDown':
      return { to: Math.min(at + 1, rows.length - 1) };
    case 'ArrowUp':
      return { to: Math.max(at - 1, 0) };
    case 'Home':
      return { to: 0 };
    case 'End':
      return { to: rows.length - 1 };
    case 'ArrowRight':
      if (!entry.entries) return {};
      return isOpen ? { to: at + 1 } : { open: new Set([...open, entry.path]) };
    case 'ArrowLeft':
      return isOpen ? { open: without(open, entry.path) } : { to: parentOf(rows, at) };
    case '*':
      return { open: new Set([...open, ...siblingFolders(rows, row)]) };
    default:
      return undefined;
  }
}

/** Adds a folder's path to the open ones, or removes it. */
export const toggled = (open: ReadonlySet<string>, path: string): ReadonlySet<string> =>
  open.has(path) ? without(open, path) : new Set([...open, path]);

const without = (open: ReadonlySet<string>, path: string): ReadonlySet<string> =>
  new Set([...open].filter((each) => each !== path));

function parentOf(rows: readonly TreeRow[], at: number): number {
  const level = rows[at]?.level ?? 1;
  const parent = rows.findLastIndex((row, index) => index < at && row.level < level);
  return parent < 0 ? at : parent;
}

function siblingFolders(rows: readonly TreeRow[], { entry, level }: TreeRow): readonly string[] {
  const above = entry.path.slice(0, entry.path.length - entry.name.length);
  return rows
    .filter((row) => row.level === level && row.entry.entries && row.entry.path.startsWith(above))
    .map((row) => row.entry.path);
}

/** Finds the next row whose name begins with the typed letters; wraps around at the end. */
export function findRow(rows: readonly TreeRow[], at: number, typed: string): number | undefined {
  const begins = (row: TreeRow | undefined) => row?.entry.name.toLowerCase().startsWith(typed.toLowerCase());
  const from = typed.length > 1 ? at : at + 1; // with a second letter, the row that the first one found may be it
  for (let step = 0; step < rows.length; step += 1) {
    const index = (from + step) % rows.length;
    if (begins(rows[index])) return index;
  }
  return undefined;
}
