import { effect, signal } from '@preact/signals';

/** How the page looks; the only thing that outlives it. */
export type Theme = 'system' | 'light' | 'dark';
export const theme = signal<Theme>('system');

/** Which of the three parts is shown where there is no room for all. */
export type Panel = 'setup' | 'run' | 'inspect';
export const panel = signal<Panel>('run');

const KEY = 'stepwise-theme';

/** Takes up the theme of the last visit, and keeps it. A browser that keeps nothing is no trouble. */
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
    // Then it is the system's again next time.
  }
}
