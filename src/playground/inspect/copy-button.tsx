import { useState } from 'preact/hooks';

const SHOWN_MS = 2_000;

/** Copies a text to the clipboard and reports success or failure. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [notice, setNotice] = useState('');
  const copy = async (): Promise<void> => {
    setNotice(await copied(text()));
    setTimeout(() => setNotice(''), SHOWN_MS);
  };
  return (
    <span class="copy">
      <button type="button" class="small-button" onClick={copy}>
        {label}
      </button>
      <span role="status" class="muted small">
        {notice}
      </span>
    </span>
  );
}

/** Browsers offer the clipboard only to pages on localhost or over TLS. */
async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied';
  } catch {
    return 'The browser did not allow it';
  }
}
