import { useEffect, useState } from 'preact/hooks';
import { spellUnseen } from '../../sdk/index.js';
import type { ChangedFile } from '../../tools/portable/index.js';
import { downloadText } from '../controls/download-text.js';
import { Icon } from '../controls/icon.js';
import { DiffPreview } from '../requests/diff-preview.js';
import { Exact } from '../text/exact.js';
import { plural } from '../text/figures.js';
import { countLines, toDiff, toPatch } from './changes-patch.js';
import { changes, project } from './project.js';

/** The files that tools changed, each with its diff, and buttons to copy or download the patch. */
export function ChangesPanel() {
  const changed = changes.value;
  if (changed.length === 0) return null;
  const name = project.value?.name ?? 'changes';
  return (
    <section class="changes" aria-labelledby="changes-title">
      <div class="changes-head">
        <h3 id="changes-title">
          Changes <span class="muted">{plural(changed.length, 'file')}</span>
        </h3>
        <button
          type="button"
          class="link"
          onClick={async () => downloadText(`${name}.patch`, await toPatch(changed))}
        >
          <Icon name="download" /> Patch
        </button>
      </div>
      <ul>
        {changed.map((each) => (
          <li key={each.path}>
            <Change file={each} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Change({ file }: { file: ChangedFile }) {
  const diff = useDiff(file);
  const { added, removed } = countLines(diff ?? '');
  const { path, before, after } = file;
  return (
    <details class="change">
      <summary>
        <Icon name="chevron" />
        <span class="change-path" title={spellUnseen(path)}>
          <Exact text={path} />
        </span>
        <span class="change-count">
          {before === undefined && <span class="badge">new</span>} <span class="change-added">+{added}</span>{' '}
          <span class="change-removed">−{removed}</span>
        </span>
      </summary>
      {diff !== null && <DiffPreview text={diff} />}
      <button
        type="button"
        class="link"
        onClick={() => downloadText(path.slice(path.lastIndexOf('/') + 1), after)}
      >
        <Icon name="download" /> The file as it is now
      </button>
    </details>
  );
}

/** Returns the diff of a file; null until it is computed. */
function useDiff(file: ChangedFile): string | null {
  const [diff, setDiff] = useState<string | null>(null);
  const { before, after } = file;
  useEffect(() => {
    let isWanted = true;
    void toDiff(file).then((text) => isWanted && setDiff(text));
    return () => {
      isWanted = false;
    };
  }, [before, after]);
  return diff;
}
