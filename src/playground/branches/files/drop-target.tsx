import { useEffect, useState } from 'preact/hooks';
import { attachFiles, isPicture } from '../../state/draft-attachments.js';
import { openRuns } from './open-runs.js';

/**
 * Accepts files that are dropped anywhere on the page: saved runs, and images and PDF files for the task. Leaves
 * folders to the project panel.
 */
export function DropTarget() {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    const end = (): void => setIsOver(false);
    const listeners = {
      dragover: (event: DragEvent) => {
        if (!bringsFiles(event)) return end();
        event.preventDefault();
        setIsOver(true);
      },
      dragleave: (event: DragEvent) => {
        if (event.relatedTarget === null) end();
      },
      drop: (event: DragEvent) => {
        end();
        if (bringsFiles(event)) take(event);
      },
    };
    const entries = Object.entries(listeners) as [string, EventListener][]; // each is for the event of its name
    for (const [type, listener] of entries) document.addEventListener(type, listener);
    return () => {
      for (const [type, listener] of entries) document.removeEventListener(type, listener);
    };
  }, []);
  return isOver ? (
    <div class="drop" aria-hidden="true">
      <p>Drop images or PDF files for the task, a saved run to walk through it, or a folder to work in</p>
    </div>
  ) : null;
}

const bringsFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

function take(event: DragEvent): void {
  event.preventDefault();
  const { items, files } = event.dataTransfer ?? {};
  if ([...(items ?? [])].some((item) => item.webkitGetAsEntry()?.isDirectory)) return;
  void takeFiles([...(files ?? [])]);
}

/** Attaches images and PDF files to the task, and opens the others as runs. Reports the files that were refused. */
async function takeFiles(files: readonly File[]): Promise<void> {
  const refusals = await attachFiles(files.filter(isPicture));
  const runs = files.filter((file) => !isPicture(file));
  await openRuns(runs, refusals);
}
