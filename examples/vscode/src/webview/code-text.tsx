import type { ComponentChildren } from 'preact';

/** Text with its line breaks, in a box of its own. */
export const CodeText = ({ children }: { children: ComponentChildren }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what is long is scrolled with the keyboard
  <pre tabIndex={0}>{children}</pre>
);
