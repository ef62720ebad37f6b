import type { ContextItem } from './context-item.js';
import type { SourceFile, SourceFolder } from './sources/context-source.js';
import { fileItem, type Gathered, listingItem, listingOf, missingRow, originsOf } from './to-items.js';

/** Rows of the report, among them second ones for files of several folders. */
const MOST_ROWS = 10_000;
/** UTF-16 units that folders may list before no other folder is listed; far more than any model reads. */
const MOST_LISTED = 1_048_576;
const NOT_LISTED = 'not listed: the folders before it list more than is read in one step';

/** A folder as a source gave it, and as it was asked for. */
export interface FoundFolder {
  readonly folder: SourceFolder;
  readonly id: string;
}

/**
 * Takes what is found and measures it. A thousand folders may hold the same ten thousand files, since they lie in each
 * other or are one folder in many spellings: beyond a bound a file that stands in an earlier folder is not given again,
 * and a folder is not listed (rule: linear-work).
 */
export class Intake {
  readonly #paths = new Set<string>();
  readonly #listed = new Set<string>();
  #listedCharacters = 0;
  #rows = 0;
  #characters = 0;

  /** UTF-16 units of all that was taken. */
  get characters(): number {
    return this.#characters;
  }

  take(found: Gathered | FoundFolder): Gathered {
    const gathered = 'folder' in found ? this.#open(found) : found;
    this.#characters += itemsOf(gathered).reduce((sum, { text }) => sum + text.length, 0);
    return gathered;
  }

  /** A listing, and then the files. */
  #open({ folder, id }: FoundFolder): Gathered {
    const files = folder.files.filter((file) => this.#mayGive(file));
    const isListed = this.#mayList(folder);
    const listing = isListed ? [listingItem(folder, id)] : [];
    const items = [...listing, ...files.map((file) => fileItem(file, file.path, 'folder'))];
    return {
      groups: [{ kind: 'explicit', items }],
      missing: isListed ? [] : [missingRow('explicit', id, NOT_LISTED, 'dropped')],
      folders: [{ path: folder.path, origins: originsOf(folder.files) }],
    };
  }

  #mayGive({ path }: SourceFile): boolean {
    if (this.#paths.has(path) && this.#rows >= MOST_ROWS) return false;
    this.#paths.add(path);
    this.#rows += 1;
    return true;
  }

  #mayList(folder: SourceFolder): boolean {
    if (this.#listed.has(folder.path)) return true;
    if (this.#listedCharacters >= MOST_LISTED) return false;
    this.#listed.add(folder.path);
    this.#listedCharacters += listingOf(folder).length;
    return true;
  }
}

export function itemsOf({ groups }: Gathered): ContextItem[] {
  return groups.flatMap(({ items }) => items);
}
