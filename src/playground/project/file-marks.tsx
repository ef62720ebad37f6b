import { spellUnseen } from '../../sdk/index.js';
import { Icon, type IconName } from '../controls/icon.js';
import { change, settings } from '../state/settings.js';

/** Toggle buttons of a file: include it in the context, pin it, treat it as open in the editor. */
export function FileMarks({ path, isReached }: { path: string; isReached: boolean }) {
  const { tagged, pinned, focus } = settings.value;
  const mark = { path, isReached };
  return (
    <span class="marks">
      <Mark {...mark} icon="tag" says="Tag" isOn={tagged.includes(path)} onToggle={() => toggleTag(path)} />
      <Mark
        {...mark}
        icon="pin"
        says="Pin"
        isOn={pinned.includes(path)}
        onToggle={() => change({ pinned: toggled(settings.value.pinned, path) })}
      />
      <Mark
        {...mark}
        icon="focus"
        says="Focus"
        isOn={focus === path}
        onToggle={() => change({ focus: focus === path ? null : path })}
      />
    </span>
  );
}

/** Toggle button that includes all files of a folder in the context. */
export const FolderMark = ({ path, isReached }: { path: string; isReached: boolean }) => (
  <span class="marks">
    <Mark
      path={path}
      isReached={isReached}
      icon="tag"
      says="Tag"
      isOn={settings.value.tagged.includes(path)}
      onToggle={() => toggleTag(path)}
    />
  </span>
);

/** Returns the settings of a file or folder as text that a screen reader reads after its name, such as `, pinned`. */
export function marksInWords(path: string): string {
  const { tagged, pinned, focus } = settings.value;
  const words = [
    tagged.includes(path) && 'tagged',
    pinned.includes(path) && 'pinned',
    focus === path && 'in focus',
  ];
  return words.flatMap((word) => (word ? `, ${word}` : [])).join('');
}

/** Adds a file or folder to the context of the next run, or removes it. */
export function toggleTag(path: string): void {
  change({ tagged: toggled(settings.value.tagged, path) });
}

const meanings = {
  Tag: 'include in the context',
  Pin: 'put first when the budget is short',
  Focus: 'treat as open in the editor',
} as const;

interface MarkProps {
  readonly icon: IconName;
  readonly says: keyof typeof meanings;
  readonly path: string;
  readonly isOn: boolean;
  /** True if the Tab key moves the focus from the row to these buttons. */
  readonly isReached: boolean;
  readonly onToggle: () => void;
}

const Mark = ({ icon, says, path, isOn, isReached, onToggle }: MarkProps) => (
  <button
    type="button"
    class="mark"
    aria-pressed={isOn}
    aria-label={`${says} ${spellUnseen(path)}: ${meanings[says]}`}
    title={`${says}: ${meanings[says]}`}
    tabIndex={isReached ? 0 : -1}
    onClick={(event) => {
      event.stopPropagation();
      onToggle();
    }}
  >
    <Icon name={icon} />
  </button>
);

const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((each) => each !== item) : [...list, item];
