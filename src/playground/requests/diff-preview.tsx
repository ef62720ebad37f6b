import { Exact } from '../text/exact.js';
import { plural } from '../text/figures.js';

const MAX_LINES = 400;
/** Maximum visible length of a line, in characters. */
const MAX_LINE = 2_000;

/** A tool's preview of a call: a diff with coloured lines, or plain text. */
export function DiffPreview({ text }: { text: string }) {
  const lines = text.trimEnd().split('\n');
  const hidden = lines.length - MAX_LINES;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must be able to scroll a long preview
    <section class="diff" aria-label="Preview of the call" tabIndex={0}>
      <pre>
        {lines.slice(0, MAX_LINES).map((line) => (
          <span class={`diff-line ${kindOf(line)}`}>
            <Exact text={line.slice(0, MAX_LINE)} />
            {line.length > MAX_LINE && (
              <em class="muted"> … {plural(line.length - MAX_LINE, 'character')} that are not shown</em>
            )}
            {'\n'}
          </span>
        ))}
      </pre>
      {hidden > 0 && <p class="muted">and {plural(hidden, 'line')} more</p>}
    </section>
  );
}

function kindOf(line: string): string {
  if (line.startsWith('@@') || line.startsWith('+++') || line.startsWith('---')) return 'diff-place';
  if (line.startsWith('+')) return 'diff-added';
  return line.startsWith('-') ? 'diff-removed' : '';
}
