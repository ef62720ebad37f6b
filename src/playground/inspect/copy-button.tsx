import { useState } from 'preact/hooks';

const SHOWN_MS = 2_000;

/** Puts a text on the clipboard, and says whether it got there. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [said, setSaid] = useState('');
  const copy = async (): Promise<void> => {
    setSaid(await copied(text()));
    setTimeout(() => setSaid(''), SHOWN_MS);
  };
  return (
    <span class="copy">
      <button type="button" class="small-button" onClick={copy}>
        {label}
      </button>
      <span role="status" class="muted small">
        {said}
      </span>
    </span>
  );
}

/** A page that is not at this machine's address, or not over TLS, has no clipboard. */
async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'The browser did not allow it';
  }
}
