import type { ReportItem } from '../../contract/context-report.js';
import type { ContextGroup, GatheredFolder } from './context-item.js';
import { inlinePath } from './fence.js';
import { once } from './once.js';
import { reportRow } from './report-row.js';
import type { SourceFile, SourceFolder } from './sources/context-source.js';
import { fileItem, fileOrigin, listingItem } from './to-items.js';

/** Number of report rows above which a file that belongs to several requested folders is reported only once. */
const MAX_ROWS = 10_000;
/** Maximum number of UTF-16 units of folder listings in a step; later folders are not listed. */
const MAX_LISTED_CHARACTERS = 1_048_576;
const NOT_LISTED = 'not listed: the folders before it already exceed the limit of one step';

/** Everything found for one requested path or id. */
export interface Gathered {
  readonly groups: readonly ContextGroup[];
  readonly missing: readonly ReportItem[];
  readonly folders: readonly GatheredFolder[];
}

/** A folder from a source, and the id by which the request asked for it. */
export interface FoundFolder {
  readonly folder: SourceFolder;
  readonly id: string;
}

/**
 * Turns folders into items, and counts the characters of all items. A request may name a thousand folders with the
 * same ten thousand files, because the folders are nested or are one folder in many spellings. Above the limits, a
 * file of an earlier folder is not repeated and further folders are not listed (rule: linear-work).
 */
export class Intake {
  readonly #paths = new Set<string>();
  readonly #listed = new Set<string>();
  readonly #listingOf = once(({ listing }: SourceFolder) =>
    listing.map((path) => `${inlinePath(path)}\n`).join(''),
  );
  readonly #originsOf = once((files: readonly SourceFile[]) => files.map(({ path }) => fileOrigin(path)));
  #listedCharacters = 0;
  #rows = 0;
  #characters = 0;

  /** UTF-16 units of all items so far. */
  get characters(): number {
    return this.#characters;
  }

  take(found: Gathered | FoundFolder): Gathered {
    const gathered = 'folder' in found ? this.#open(found) : found;
    for (const { items } of gathered.groups) for (const { text } of items) this.#characters += text.length;
    return gathered;
  }

  /** Turns a folder into items: its listing, then its files. */
  #open({ folder, id }: FoundFolder): Gathered {
    const files = folder.files.filter((file) => this.#mayGive(file));
    const isListed = this.#mayList(folder);
    const listing = isListed ? [listingItem(folder, id, this.#listingOf(folder))] : [];
    const items = [...listing, ...files.map((file) => fileItem(file, file.path, 'folder'))];
    return {
      groups: [{ kind: 'explicit', items }],
      missing: isListed ? [] : [reportRow({ kind: 'explicit', id, status: 'dropped', reason: NOT_LISTED })],
      folders: [{ path: folder.path, origins: this.#originsOf(folder.files) }],
    };
  }

  #mayGive({ path }: SourceFile): boolean {
    if (this.#paths.has(path) && this.#rows >= MAX_ROWS) return false;
    this.#paths.add(path);
    this.#rows += 1;
    return true;
  }

  #mayList(folder: SourceFolder): boolean {
    if (this.#listed.has(folder.path)) return true;
    if (this.#listedCharacters >= MAX_LISTED_CHARACTERS) return false;
    this.#listed.add(folder.path);
    this.#listedCharacters += this.#listingOf(folder).length;
    return true;
  }
}
