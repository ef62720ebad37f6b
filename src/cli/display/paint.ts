import { styleText } from 'node:util';

/** Puts colour on a text, or leaves it alone. */
export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

export const plain: Paint = (_style, text) => text;

/** Whether the stream has colours is asked once, of the stream that is written: not of stdout at each text. */
const colours: Paint = (style, text) => styleText(style, text, { validateStream: false });

/**
 * Colour where a person looks at it, unless the environment says otherwise: `NO_COLOR` first, then `FORCE_COLOR`, each if it is
 * not empty (https://no-color.org, https://force-color.org; `FORCE_COLOR=0` takes colours away, as Node.js has it).
 */
export function paintFor(stream: NodeJS.WriteStream, environment = process.env): Paint {
  const { NO_COLOR, FORCE_COLOR, ...rest } = environment;
  if (NO_COLOR) return plain;
  if (FORCE_COLOR) return ['0', 'false'].includes(FORCE_COLOR) ? plain : colours;
  return stream.isTTY && stream.getColorDepth(rest) > 1 ? colours : plain;
}
