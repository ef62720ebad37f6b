import { styleText } from 'node:util';

/** Styles a text, or returns it unchanged. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const plain: Paint = (_style, text) => text;

/**
 * Applies a style. Colour support is checked once in `paintFor`; by default `styleText` would check stdout for
 * each text.
 */
const colours: Paint = (style, text) => styleText(style, text, { validateStream: false });

/**
 * Returns colours for a terminal. The environment overrides this: first `NO_COLOR`, then `FORCE_COLOR`, if not empty
 * (https://no-color.org, https://force-color.org). `FORCE_COLOR=0` turns colours off, as in Node.js.
 */
export function paintFor(stream: NodeJS.WriteStream, environment = process.env): Paint {
  const { NO_COLOR, FORCE_COLOR, ...rest } = environment;
  if (NO_COLOR) return plain;
  if (FORCE_COLOR) return ['0', 'false'].includes(FORCE_COLOR) ? plain : colours;
  return stream.isTTY && stream.getColorDepth(rest) > 1 ? colours : plain;
}
