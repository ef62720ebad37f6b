import { useMemo, useState } from 'preact/hooks';
import { Exact } from './exact.js';
import { plural } from './figures.js';
import { textWindow, type WindowSize } from './text-window.js';

/** Factor by which "show more" enlarges the visible text. */
const MORE = 12;
/** Line length, in characters, above which the number of lines says little about the size of a text. */
const LONG_LINE = 400;

export interface LongTextProps extends Partial<WindowSize> {
  readonly text: string;
  /** True to make every character visible, for texts that a person approves or that were sent to a model. */
  readonly isExact?: boolean;
}

/** A text of any length: shows its beginning and a button for more. Lines wrap in their own box. */
export function LongText({ text, isExact = false, lines = 8, characters = 900 }: LongTextProps) {
  const [size, setSize] = useState<WindowSize>({ lines, characters });
  const { shown, hiddenLines, hiddenCharacters } = useMemo(() => textWindow(text, size), [text, size]);
  const grow = () => setSize({ lines: size.lines * MORE, characters: size.characters * MORE });
  return (
    <div class="long-text">
      <pre dir="auto">{isExact ? <Exact text={shown} /> : shown}</pre>
      {hiddenCharacters > 0 && (
        <button type="button" class="link" onClick={grow}>
          Show more <span class="muted">({describe(hiddenLines, hiddenCharacters)})</span>
        </button>
      )}
      {size.lines > lines && (
        <button type="button" class="link" onClick={() => setSize({ lines, characters })}>
          Show less
        </button>
      )}
    </div>
  );
}

const describe = (lines: number, characters: number): string =>
  characters < lines * LONG_LINE
    ? `${plural(lines, 'line')} left`
    : `${plural(characters, 'character')} left`;
