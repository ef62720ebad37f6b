import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Exact } from '../../text/exact.js';
import { plural } from '../../text/figures.js';
import { LongText } from '../../text/long-text.js';

interface JsonTreeProps {
  readonly name: string;
  readonly value: unknown;
  readonly isOpen?: boolean;
}

/** A collapsible JSON value; collapsed parts are not rendered. */
export function JsonTree({ name, value, isOpen = false }: JsonTreeProps) {
  if (typeof value === 'string' && value.length > LONG) return <LongString name={name} value={value} />;
  if (typeof value !== 'object' || value === null) {
    return (
      <p class="json-line">
        <Name name={name} /> <Scalar value={value} />
      </p>
    );
  }
  return (
    <Folded name={name} size={sizeOf(value)} isOpen={isOpen} content={() => <Members value={value} />} />
  );
}

/** Strings longer than this number of characters start collapsed. */
const LONG = 120;
const WINDOW = 100;

function Members({ value }: { value: object }) {
  const [size, setSize] = useState(WINDOW);
  const entries = Object.entries(value);
  return (
    <>
      {entries.slice(0, size).map(([key, member]) => (
        <JsonTree key={key} name={key} value={member} />
      ))}
      {entries.length > size && (
        <button type="button" class="link" onClick={() => setSize(size * 10)}>
          {plural(entries.length - size, 'entry').replace('entrys', 'entries')} more
        </button>
      )}
    </>
  );
}

const LongString = ({ name, value }: { name: string; value: string }) => (
  <Folded
    name={name}
    size={plural(value.length, 'character')}
    content={() => <LongText text={value} lines={40} characters={8_000} />}
  />
);

interface FoldedProps {
  readonly name: string;
  readonly size: string;
  readonly isOpen?: boolean;
  readonly content: () => ComponentChildren;
}

function Folded({ name, size, isOpen = false, content }: FoldedProps) {
  const [open, setOpen] = useState(isOpen);
  return (
    <details class="json" open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Name name={name} /> <span class="muted small figure">{size}</span>
      </summary>
      {open && <div class="json-members">{content()}</div>}
    </details>
  );
}

const Name = ({ name }: { name: string }) => (
  <code class="json-name">
    <Exact text={name} />
  </code>
);

const Scalar = ({ value }: { value: unknown }) => (
  <code class={`json-value json-${value === null ? 'null' : typeof value}`}>
    <Exact text={JSON.stringify(value) ?? 'absent'} />
  </code>
);

const sizeOf = (value: object): string => {
  const count = Object.keys(value).length;
  if (Array.isArray(value)) return `[${count}]`;
  return count === 0 ? '{}' : plural(count, 'field');
};
