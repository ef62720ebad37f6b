import { memoryStore, pickedStore } from '../../tools/portable/index.js';
import { openProject, problem } from './project.js';

/** What browsers have that TypeScript's types do not. */
interface PickerScope {
  showDirectoryPicker?(options: { id: string; mode: 'read' }): Promise<FileSystemDirectoryHandle>;
}
interface HandedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** Whether this browser can write to a folder of the person's disk. */
export const canOpenOnDisk = (): boolean => (globalThis as PickerScope).showDirectoryPicker !== undefined;

/** Opens the example that comes with the page. */
export async function openExample(): Promise<void> {
  await telling('The example project could not be loaded.', async () => {
    const response = await fetch('/playground/example.json');
    const { name, files }: ExampleProject = await response.json();
    openProject({
      name,
      origin: 'example',
      store: memoryStore(files.map(({ path, content }) => [path, content])),
    });
  });
}

/** As the build writes it. */
interface ExampleProject {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/** Lets the person pick a folder; what tools write there, once it is approved, is on their disk. */
export async function openOnDisk(): Promise<void> {
  await telling(NOT_OPENED, async () => {
    const handle = await (globalThis as PickerScope).showDirectoryPicker?.({ id: 'project', mode: 'read' });
    if (handle) openPicked(handle);
  });
}

/** Opens the files that an input for folders was given; what tools write stays in the page. */
export function openCopy(files: readonly File[]): void {
  const [first] = files;
  if (!first) return;
  const [name = ''] = first.webkitRelativePath.split('/');
  const below = files.map((file) => [file.webkitRelativePath.slice(name.length + 1), file] as const);
  openProject({ name, origin: 'copy', store: memoryStore(below) });
}

/** Whether a drop brings a folder. Says so only while the event is told. */
export const bringsFolder = (transfer: DataTransfer | null): boolean =>
  [...(transfer?.items ?? [])].some((item) => item.webkitGetAsEntry()?.isDirectory);

/** Opens the first folder of a drop, as if it had been picked. */
export async function openDropped(transfer: DataTransfer): Promise<void> {
  const items: HandedItem[] = [...transfer.items];
  const asked = items.map((item) => item.getAsFileSystemHandle?.()); // before anything is waited for: then they are gone
  await telling(NOT_OPENED, async () => {
    const handles = await Promise.all(asked);
    const handle = handles.find((each) => each instanceof FileSystemDirectoryHandle);
    if (handle) openPicked(handle);
    else problem.value = 'This browser does not open folders that are dropped; open a copy instead.';
  });
}

const openPicked = (handle: FileSystemDirectoryHandle): void =>
  openProject({ name: handle.name, origin: 'disk', store: pickedStore(handle) });

const NOT_OPENED = 'The folder could not be opened.';

async function telling(otherwise: string, open: () => Promise<void>): Promise<void> {
  try {
    await open();
  } catch (error) {
    problem.value = whyNotOpened(error, otherwise);
  }
}

/** Null where the person has only thought better of it. */
function whyNotOpened(error: unknown, otherwise: string): string | null {
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return null;
  const isRefused = name === 'NotAllowedError' || name === 'SecurityError';
  return isRefused ? 'The browser gave no access to this folder.' : otherwise;
}
