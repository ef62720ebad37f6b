import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onMessage, request } from './host.js';

const LIST_ID = 'suggestions';

/** Matches an `@` word that ends at the caret. */
const mention = /(?:^|\s)@([^\s@]*)$/;

interface SuggestionsState {
  readonly paths: readonly string[];
  readonly selected: number;
  readonly choose: (path: string) => void;
}

/** Completes `@path` in the task box: up and down select, Enter or Tab accepts, Escape closes. */
export function useSuggestions(box: RefObject<HTMLTextAreaElement | null>, onChange: (text: string) => void) {
  const [paths, setPaths] = useState<readonly string[]>([]);
  const [selected, setSelected] = useState(0);
  const wordBefore = () => {
    const { value = '', selectionStart = 0 } = box.current ?? {};
    return mention.exec(value.slice(0, selectionStart))?.[1];
  };
  useEffect(
    () =>
      onMessage((message) => {
        if (message.type !== 'suggestions' || message.query !== wordBefore()) return;
        setPaths(message.paths);
        setSelected(0);
      }),
    [],
  );
  const onInput = () => {
    const query = wordBefore();
    if (query === undefined) setPaths([]);
    else request({ type: 'suggest', query });
  };
  const choose = (path: string) => {
    const { value = '', selectionStart = 0 } = box.current ?? {};
    const before = value.slice(0, selectionStart).replace(/@[^\s@]*$/, `@${path} `);
    onChange(before + value.slice(selectionStart));
    setPaths([]);
    box.current?.focus();
  };
  /** Handles a key; returns true if the suggestions used it. */
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const path = paths[selected];
    if (path === undefined) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setSelected((selected + step + paths.length) % paths.length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(path);
    else if (event.key === 'Escape') setPaths([]);
    else return false;
    event.preventDefault();
    return true;
  };
  const isOpen = paths.length > 0;
  const boxAttributes = {
    'aria-autocomplete': 'list' as const,
    'aria-controls': isOpen ? LIST_ID : undefined,
    'aria-activedescendant': isOpen ? `${LIST_ID}-${selected}` : undefined,
  };
  return { paths, selected, choose, onInput, onKeyDown, boxAttributes };
}

export function Suggestions({ paths, selected, choose }: SuggestionsState) {
  if (paths.length === 0) return null;
  return (
    <div class="suggestions" role="listbox" id={LIST_ID} aria-label="Files">
      {paths.map((path, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the task box
        <div
          key={path}
          id={`${LIST_ID}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === selected}
          onClick={() => choose(path)}
        >
          <bdi>{path}</bdi>
        </div>
      ))}
    </div>
  );
}
