import type { ComponentChildren } from 'preact';

interface Tab {
  readonly id: string;
  readonly name: string;
  readonly panel: () => ComponentChildren;
}

interface TabsProps {
  /** Accessible name of the tab list. */
  readonly label: string;
  /** Id of the open tab; an unknown id opens the first. */
  readonly open: { value: string };
  readonly tabs: readonly Tab[];
}

/** Implements the WAI-ARIA tabs pattern: one Tab stop, arrow keys move to a tab and open it. */
export function Tabs({ label, open, tabs }: TabsProps) {
  const current = tabs.find(({ id }) => id === open.value) ?? tabs[0];
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = tabs[nextIndex(event.key, current ? tabs.indexOf(current) : -1, tabs.length)];
    if (!next) return;
    event.preventDefault();
    open.value = next.id;
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <>
      <div class="tab-list" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`tab-${id}`}
            aria-selected={id === current?.id}
            aria-controls="inspector-panel"
            tabIndex={id === current?.id ? 0 : -1}
            onClick={() => {
              open.value = id;
            }}
          >
            {name}
          </button>
        ))}
      </div>
      {current && (
        <div
          class="tab-panel"
          role="tabpanel"
          id="inspector-panel"
          aria-labelledby={`tab-${current.id}`}
          key={current.id}
        >
          {current.panel()}
        </div>
      )}
    </>
  );
}

/** Returns the index of the next tab; -1 for keys that do not move. */
function nextIndex(key: string, at: number, count: number): number {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : -1;
}
