import { memoryStore, pickedStore } from '../../tools/portable/index.js';
import { openProject, problem } from './project.js';

/** Browser APIs that TypeScript's types lack. */
interface PickerScope {
  showDirectoryPicker?(options: { id: string; mode: 'read' }): Promise<FileSystemDirectoryHandle>;
}
interface HandedItem extends DataTransferItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** Reports whether this browser can write to a folder on disk. */
export const canOpenOnDisk = (): boolean => (globalThis as PickerScope).showDirectoryPicker !== undefined;

/** Opens the example project that is bundled with the page. */
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

/** Format of the example project, as the build writes it. */
interface ExampleProject {
  readonly name: string;
  readonly files: readonly { readonly path: string; readonly content: string }[];
}

/** Opens a folder that the person picks; approved tool calls write to the disk. */
export async function openOnDisk(): Promise<void> {
  await telling(NOT_OPENED, async () => {
    const handle = await (globalThis as PickerScope).showDirectoryPicker?.({ id: 'project', mode: 'read' });
    if (handle) openPicked(handle);
  });
}

/** Opens the files of a folder input as a copy; tool calls write only to the page's memory. */
export function openCopy(files: readonly File[]): void {
  const [first] = files;
  if (!first) return;
  const [name = ''] = first.webkitRelativePath.split('/');
  const below = files.map((file) => [file.webkitRelativePath.slice(name.length + 1), file] as const);
  openProject({ name, origin: 'copy', store: memoryStore(below) });
}

/** Reports whether a drop contains a folder. Must run while the event is dispatched, since the data is empty later. */
export const containsFolder = (transfer: DataTransfer | null): boolean =>
  [...(transfer?.items ?? [])].some((item) => item.webkitGetAsEntry()?.isDirectory);

/** Opens the first folder of a drop, as if the person had picked it. */
export async function openDropped(transfer: DataTransfer): Promise<void> {
  const items: HandedItem[] = [...transfer.items];
  const asked = items.map((item) => item.getAsFileSystemHandle?.()); // before anything is waited for: then they are gone
  await telling(NOT_OPENED, async () => {
    const handles = await Promise.all(asked);
    const handle = handles.find((each) => each instanceof FileSystemDirectoryHandle);
    if (handle) openPicked(handle);
    else problem.value = 'This browser cannot open dropped folders. Use “Work in a copy…” instead.';
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

/** Returns the reason why a folder could not be opened; null if the person cancelled the picker. */
function whyNotOpened(error: unknown, otherwise: string): string | null {
  const name = error instanceof Error ? error.name : '';
  if (name === 'AbortError') return null;
  const isRefused = name === 'NotAllowedError' || name === 'SecurityError';
  return isRefused ? 'The browser denied access to this folder.' : otherwise;
}
