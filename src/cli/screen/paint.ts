import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** Puts colour on a text, or leaves it alone. */
export type Paint = (style: Style, text: string) => string;

/** Colour only where a person looks at it: on a terminal that has colours, and not with `NO_COLOR`. */
export function paintFor(stream: NodeJS.WriteStream): Paint {
  return stream.isTTY && stream.hasColors() ? styleText : plain;
}

export const plain: Paint = (_style, text) => text;
