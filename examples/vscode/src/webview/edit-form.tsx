import { useEffect, useRef, useState } from 'preact/hooks';
import { hasUnseen, type ToolArguments } from 'stepwise';

/** Returns the arguments that are texts; only these can be edited. */
const editableOf = (args: string): [name: string, text: string][] =>
  Object.entries(JSON.parse(args) as ToolArguments).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value]] : [],
  );

/**
 * True if the call has text arguments and all their characters are visible, since a person must see what they approve.
 */
export function isEditable(args: string): boolean {
  const texts = editableOf(args);
  return texts.length > 0 && !texts.some(([, text]) => hasUnseen(withLineFeeds(text)));
}

/**
 * Returns a text as a text box shows it. A text with mixed line endings stays as it is: its carriage returns are
 * invisible characters, so `isEditable` excludes it.
 */
const withLineFeeds = (text: string): string =>
  /(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n');

interface EditFormParts {
  /** The arguments in JSON. */
  readonly args: string;
  readonly onAccept: (edited: ToolArguments) => void;
  readonly onBack: () => void;
}

/** Edits each text argument in its own box; the model learns about the edit. */
export function EditForm({ args, onAccept, onBack }: EditFormParts) {
  const [changed, setChanged] = useState<Readonly<Record<string, string>>>({});
  const first = useRef<HTMLTextAreaElement>(null);
  useEffect(() => first.current?.focus(), []);
  const given = JSON.parse(args) as ToolArguments;
  return (
    <form
      aria-label="Edit the call"
      onSubmit={(event) => {
        event.preventDefault();
        onAccept({ ...given, ...changed });
      }}
    >
      {editableOf(args).map(([name, text], index) => (
        <label key={name}>
          {name}
          <textarea
            ref={index === 0 ? first : null}
            class="code"
            rows={Math.min(MOST_ROWS, text.split('\n').length)}
            spellcheck={false}
            value={withLineFeeds(changed[name] ?? text)}
            onInput={({ currentTarget: { value } }) =>
              setChanged({
                ...changed,
                [name]: text.includes('\r\n') ? value.replaceAll('\n', '\r\n') : value,
              })
            }
          />
        </label>
      ))}
      <div class="choices">
        <button type="submit">Accept as edited</button>
        <button type="button" class="secondary" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

const MOST_ROWS = 12;
