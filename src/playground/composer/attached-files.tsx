import { useRef } from 'preact/hooks';
import { notice } from '../branches/files/notice.js';
import { Icon } from '../controls/icon.js';
import { attachFiles, detach, draftAttachments } from '../state/draft-attachments.js';
import { Exact } from '../text/exact.js';
import { sizeInWords } from '../text/figures.js';

/** Attaches files and reports those that were refused. */
export async function attach(files: readonly File[]): Promise<void> {
  const refusals = await attachFiles(files);
  notice.value = refusals.length > 0 ? refusals.join(' ') : null;
}

/** The files that the next run sends with its task, each with a button that removes it. */
export function AttachedFiles() {
  const files = draftAttachments.value;
  if (files.length === 0) return null;
  return (
    <ul class="attached-files" aria-label="Attached files">
      {files.map((file) => (
        <li key={file}>
          <Icon name="file" /> <Exact text={file.name} />{' '}
          <span class="muted figure">{sizeInWords(file.bytes)}</span>
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${file.name}`}
            title="Remove"
            onClick={() => detach(file)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Button that opens a file picker for images and PDF files, for people who do not drag or paste them. */
export function AttachButton() {
  const input = useRef<HTMLInputElement>(null);
  const read = async (): Promise<void> => {
    const files = [...(input.current?.files ?? [])];
    // Clears the field before the files are read, so that choosing the same file again fires another change event.
    if (input.current) input.current.value = '';
    await attach(files);
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        title="Attach images or PDF files; you can also drop them anywhere, or paste them into the task"
        onClick={() => input.current?.click()}
      >
        <Icon name="image" /> <span class="label">Attach</span>
      </button>
      <input
        ref={input}
        type="file"
        accept="image/png,image/jpeg,image/webp,image/gif,application/pdf"
        multiple
        hidden
        onChange={() => void read()}
      />
    </>
  );
}
