import type { ComponentChildren } from 'preact';

/** Preformatted text in a scrollable box. */
export const CodeText = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what is long is scrolled with the keyboard
  <pre tabIndex={0}>{children}</pre>
);
