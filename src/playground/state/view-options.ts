import { effect, signal } from '@preact/signals';

/** Colour theme; the only setting that survives a reload. */
export type Theme = 'system' | 'light' | 'dark';
export const theme = signal<Theme>('system');

/** The panel that is visible on narrow screens, which have room for one. */
export type Panel = 'setup' | 'run' | 'inspect';
export const panel = signal<Panel>('run');

const KEY = 'stepwise-theme';

/** Restores the theme of the last visit and stores changes. Works without browser storage, too. */
export function followTheme(): void {
  const kept = read();
  if (kept === 'light' || kept === 'dark') theme.value = kept;
  effect(() => {
    document.documentElement.dataset['theme'] = theme.value;
    keep(theme.value);
  });
}

function read(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function keep(chosen: Theme): void {
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Without browser storage, the next visit follows the system's theme.
  }
}
