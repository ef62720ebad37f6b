import { useRef } from 'preact/hooks';
import { downloadText } from '../../controls/download-text.js';
import { Icon } from '../../controls/icon.js';
import { shown } from '../../state/runs.js';
import { modelKey, serviceToken } from '../../state/settings.js';
import { runFile, runFileName } from './export-run.js';
import { openRuns } from './open-runs.js';

/** Button that imports saved runs of the CLI, a program or this page. */
export function ImportButton() {
  const input = useRef<HTMLInputElement>(null);
  const read = async (): Promise<void> => {
    const files = [...(input.current?.files ?? [])];
    // Clears the field before the files are read, so that choosing the same file again fires another change event.
    if (input.current) input.current.value = '';
    await openRuns(files);
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        title="Open a saved run, or drop it anywhere"
        onClick={() => input.current?.click()}
      >
        <Icon name="upload" /> <span class="label">Import</span>
      </button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        onChange={() => void read()}
      />
    </>
  );
}

/** Button that exports the visible run in the format of the SDK and the CLI. */
export function ExportButton() {
  const saved = shown.value?.saved;
  const save = (): void => {
    if (!saved) return;
    const secrets = [modelKey.value, serviceToken.value];
    downloadText(runFileName(saved, secrets), runFile(saved, secrets), 'application/json');
  };
  return (
    <button type="button" class="quiet" title="Save this run as a file" disabled={!saved} onClick={save}>
      <Icon name="download" /> <span class="label">Export</span>
    </button>
  );
}
