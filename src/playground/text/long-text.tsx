import { useMemo, useState } from 'preact/hooks';
import { Exact } from './exact.js';
import { plural } from './figures.js';
import { textWindow, type WindowSize } from './text-window.js';

/** How many times as much is shown then. */
const MORE = 12;
/** In characters. Of longer lines than these their number says little. */
const LONG_LINE = 400;

export interface LongTextProps extends Partial<WindowSize> {
  readonly text: string;
  /** Whether every character of it is to be seen, as in what a person is asked to agree to and in what a model was sent. */
  readonly isExact?: boolean;
}

/** A text of any length: its beginning, and more of it when asked. Lines wrap in their own box. */
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
