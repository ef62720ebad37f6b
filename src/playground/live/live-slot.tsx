import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';

const loaded = signal<ComponentType | null>(null);
const problem = signal(false);

/** Loads the Live page when it is opened for the first time. */
export function LiveSlot() {
  useEffect(() => {
    import('./live-page.js').then(
      ({ LivePage }) => {
        loaded.value = LivePage;
      },
      () => {
        problem.value = true;
      },
    );
  }, []);
  const Page = loaded.value;
  if (Page) return <Page />;
  return (
    <main class="live">
      <p class="live-hint">
        {problem.value
          ? 'The service does not respond. Reload the page when it is running again.'
          : 'Loading.'}
      </p>
    </main>
  );
}
