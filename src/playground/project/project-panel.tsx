import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../controls/icon.js';
import { active, tooMany } from '../state/runs.js';
import { settings } from '../state/settings.js';
import { Exact } from '../text/exact.js';
import { plural } from '../text/figures.js';
import { ChangesPanel } from './changes-panel.js';
import { FileTree } from './file-tree.js';
import {
  canOpenOnDisk,
  containsFolder,
  openCopy,
  openDropped,
  openExample,
  openOnDisk,
} from './open-folder.js';
import { listing, type Origin, problem, project } from './project.js';

/** The project folder of a run: its name, its files, and the changes that tools made. */
export function ProjectPanel() {
  useEffect(takeFolders, []);
  const { tagged, pinned, focus } = settings.value;
  return (
    <section class="group" aria-labelledby="files-title">
      <h2 id="files-title">Files</h2>
      <p class="project" title={project.value ? meanings[project.value.origin] : undefined}>
        <Icon name="folder" /> <Exact text={project.value?.name ?? '…'} />{' '}
        <span class="muted">{filesInWords()}</span>
      </p>
      {project.value && <p class="muted small">{meanings[project.value.origin]}</p>}
      <Openers />
      {problem.value && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      <p class="muted small">
        {tagged.length} tagged · {pinned.length} pinned{focus && ' · 1 in focus'}
      </p>
      {tooMany.value > 0 && (
        <p class="muted small">
          {plural(tooMany.value, 'file')} will not be sent: a request has room for 500 files and 2.5 MB of
          text.
        </p>
      )}
      <FileTree />
      <ChangesPanel />
    </section>
  );
}

const meanings: Readonly<Record<Origin, string>> = {
  example: 'An example. Changes stay on this page.',
  disk: 'On your disk. Changes are written there once you approve them.',
  copy: 'A copy of your folder. Changes stay on this page.',
};

function filesInWords(): string {
  const { paths, unreadable, isDone } = listing.value;
  if (!project.value) return '';
  const left = unreadable > 0 ? `, ${plural(unreadable, 'folder')} could not be read` : '';
  const more = { true: '', false: ' so far …', cut: ' and more' }[`${isDone}`];
  return `${plural(paths.length, 'file')}${more}${left}`;
}

/** Buttons that open a project. They are disabled during a run, since the run keeps the folder it began with. */
function Openers() {
  const input = useRef<HTMLInputElement>(null);
  const isBusy = active.value !== null;
  return (
    <p class="openers">
      {canOpenOnDisk() && (
        <button type="button" disabled={isBusy} onClick={openOnDisk} title={meanings.disk}>
          Work in a folder…
        </button>
      )}
      <button type="button" disabled={isBusy} onClick={() => input.current?.click()} title={meanings.copy}>
        Work in a copy…
      </button>
      {project.value?.origin !== 'example' && (
        <button type="button" disabled={isBusy} onClick={openExample} title={meanings.example}>
          Example
        </button>
      )}
      <input
        ref={(element) => {
          element?.setAttribute('webkitdirectory', '');
          input.current = element;
        }}
        type="file"
        hidden
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          currentTarget.value = ''; // so that the same folder can be opened again
          openCopy(files);
        }}
      />
    </p>
  );
}

/** Opens a folder that is dropped anywhere on the page; leaves files to the run import. */
function takeFolders(): () => void {
  const allow = (event: DragEvent) => event.preventDefault();
  const take = (event: DragEvent) => {
    if (!event.dataTransfer || active.value || !containsFolder(event.dataTransfer)) return;
    event.preventDefault();
    void openDropped(event.dataTransfer);
  };
  document.addEventListener('dragover', allow);
  document.addEventListener('drop', take);
  return () => {
    document.removeEventListener('dragover', allow);
    document.removeEventListener('drop', take);
  };
}
