import { useRef } from 'preact/hooks';
import { ExportButton, ImportButton } from '../branches/files/file-buttons.js';
import { Icon } from '../controls/icon.js';
import { LiveButton } from '../live/live-button.js';
import { isOffline, settings } from '../state/settings.js';
import { type Panel, panel, type Theme, theme } from '../state/view-options.js';
import { KeyboardHelp } from './keyboard-help.js';

/** Page name, model, import, export and theme; on narrow screens also the tabs. */
export function PageHeader() {
  const help = useRef<HTMLDialogElement>(null);
  return (
    <header class="page-header">
      <h1 class="brand">
        <Mark /> Stepwise
      </h1>
      <ModelBadge />
      <Tabs />
      <div class="header-actions">
        <LiveButton />
        <ImportButton />
        <ExportButton />
        <ThemeButton />
        <button
          type="button"
          class="quiet"
          aria-label="Keyboard"
          title="Keyboard"
          onClick={() => help.current?.showModal()}
        >
          <Icon name="keyboard" />
        </button>
      </div>
      <KeyboardHelp dialog={help} />
    </header>
  );
}

const Mark = () => (
  <svg viewBox="0 0 32 32" width="20" height="20" aria-hidden="true" class="brand-mark">
    <rect width="32" height="32" rx="8" />
    <path d="M8 22h5v-6h5v-6h6" />
  </svg>
);

function ModelBadge() {
  const says = 'No key needed. No language model is called: answers are quotations from the files';
  return (
    <p class="model-badge">
      <code>{settings.value.model || 'no model'}</code>
      {isOffline.value && (
        <span class="muted model-note" title={says}>
          {says}
        </span>
      )}
    </p>
  );
}

const panels: readonly { readonly id: Panel; readonly name: string }[] = [
  { id: 'setup', name: 'Setup' },
  { id: 'run', name: 'Run' },
  { id: 'inspect', name: 'Inspect' },
];

/** Implements the WAI-ARIA tabs pattern: one Tab stop, arrow keys move between tabs. */
function Tabs() {
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    const at = panels.findIndex(({ id }) => id === panel.value);
    panel.value = panels.at((at + by) % panels.length)?.id ?? 'run';
    document.getElementById(`tab-${panel.value}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Parts of the page" onKeyDown={move}>
      {panels.map(({ id, name }) => (
        <button
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={panel.value === id}
          aria-controls={`panel-${id}`}
          tabIndex={panel.value === id ? 0 : -1}
          onClick={() => {
            panel.value = id;
          }}
        >
          {name}
        </button>
      ))}
    </div>
  );
}

const next: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

const ThemeButton = () => (
  <button
    type="button"
    class="quiet"
    aria-label={`Theme: ${theme.value}`}
    title={`Theme: ${theme.value}`}
    onClick={() => {
      theme.value = next[theme.value];
    }}
  >
    <Icon name={theme.value === 'dark' ? 'moon' : theme.value === 'light' ? 'sun' : 'contrast'} />
  </button>
);
