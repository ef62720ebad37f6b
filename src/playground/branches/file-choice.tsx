import { useState } from 'preact/hooks';
import { listing } from '../project/project.js';
import { Exact } from '../text/exact.js';
import type { BranchDraft } from './branch-draft.js';

export interface FileChoiceProps {
  readonly draft: BranchDraft;
  readonly before: BranchDraft;
  readonly amend: (changes: Partial<BranchDraft>) => void;
}

/** Lists the run's files and those of the open project, to choose the ones in the prompt. */
export function FileChoice({ draft, before, amend }: FileChoiceProps) {
  const paths = [...new Set([...before.paths, ...draft.paths])];
  return (
    <fieldset class="branch-files">
      <legend>Files in the context</legend>
      {paths.length + before.pinned.length === 0 && <p class="muted small">None.</p>}
      {paths.map((path) => (
        <Choice
          key={`path ${path}`}
          name={path}
          isChosen={draft.paths.includes(path)}
          onChosen={(chosen) => amend({ paths: chosenOf(draft.paths, path, chosen) })}
        />
      ))}
      {before.pinned.map((id) => (
        <Choice
          key={`pinned ${id}`}
          name={id}
          note="pinned"
          isChosen={draft.pinned.includes(id)}
          onChosen={(chosen) => amend({ pinned: chosenOf(draft.pinned, id, chosen) })}
        />
      ))}
      <AddFile onFile={(path) => amend({ paths: chosenOf(draft.paths, path, true) })} />
    </fieldset>
  );
}

const chosenOf = (ids: readonly string[], id: string, isChosen: boolean): readonly string[] =>
  isChosen ? [...new Set([...ids, id])] : ids.filter((each) => each !== id);

interface ChoiceProps {
  readonly name: string;
  readonly note?: string;
  readonly isChosen: boolean;
  readonly onChosen: (isChosen: boolean) => void;
}

const Choice = ({ name, note, isChosen, onChosen }: ChoiceProps) => (
  <label class="check">
    <input
      type="checkbox"
      checked={isChosen}
      onChange={({ currentTarget }) => onChosen(currentTarget.checked)}
    />
    <Exact text={name} />
    {note && <span class="muted">{note}</span>}
  </label>
);

/** Adds a file as soon as the field contains the path of one. */
function AddFile({ onFile }: { onFile: (path: string) => void }) {
  const [text, setText] = useState('');
  const { paths: files } = listing.value;
  const type = (typed: string): void => {
    const found = files.includes(typed);
    if (found) onFile(typed);
    setText(found ? '' : typed);
  };
  return (
    <>
      <input
        list="branch-project-files"
        aria-label="Add a file of the project"
        placeholder="Add a file of the project…"
        value={text}
        onInput={({ currentTarget }) => type(currentTarget.value)}
      />
      <datalist id="branch-project-files">
        {files.slice(0, MAX_SUGGESTIONS).map((path) => (
          <option value={path} />
        ))}
      </datalist>
    </>
  );
}

const MAX_SUGGESTIONS = 500;
