import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApprovalAnswer, ApprovalView } from '../approvals/approvals.js';
import { CodeText } from './code-text.js';
import { EditForm, isEditable } from './edit-form.js';
import { Exact } from './exact.js';
import { request } from './host.js';
import { useHandedFocus } from './use-handed-focus.js';

/** Asks about one call: accept, edit first, always allow in this session, or reject with a reason. */
export function ApprovalCard({ approval }: { approval: ApprovalView }) {
  const { id, tool, args, preview, path, always } = approval;
  const [form, setForm] = useState<'edit' | 'reject' | null>(null);
  const card = useHandedFocus<HTMLElement>();
  const answer = (given: ApprovalAnswer) => request({ type: 'decide', id, answer: given });
  return (
    <section class="approval" aria-label="Approval" ref={card}>
      <h2>
        {path === null ? (
          <>
            Run <code>{tool}</code>?
          </>
        ) : (
          <>
            Change <Exact text={path} />?
          </>
        )}
      </h2>
      <CodeText>
        {preview === null ? <Exact text={args} /> : <Preview text={preview} isDiff={path !== null} />}
      </CodeText>
      {form === 'reject' && (
        <RejectForm
          onReject={(reason) => answer({ choice: 'reject', reason })}
          onBack={() => setForm(null)}
        />
      )}
      {form === 'edit' && (
        <EditForm
          args={args}
          onAccept={(edited) => answer({ choice: 'edit', args: edited })}
          onBack={() => setForm(null)}
        />
      )}
      {form === null && (
        <div class="choices">
          <button type="button" onClick={() => answer({ choice: 'accept' })}>
            Accept
          </button>
          <button type="button" class="secondary" onClick={() => setForm('reject')}>
            Reject…
          </button>
          {isEditable(args) && (
            <button type="button" class="secondary" onClick={() => setForm('edit')}>
              Edit…
            </button>
          )}
          {path !== null && (
            <button type="button" class="secondary" onClick={() => request({ type: 'showChange' })}>
              Show diff
            </button>
          )}
          {always.map((words, index) => (
            <button
              type="button"
              class="secondary"
              key={words}
              onClick={() => answer({ choice: 'always', index })}
            >
              Always in this session: <Exact text={words} />
            </button>
          ))}
        </div>
      )}
    </section>
  );
}

const MAX_DIFF_LINES = 200;

/** A diff in the editor's colours; shows the beginning of a long one, which the editor can show completely. */
function Preview({ text, isDiff }: { text: string; isDiff: boolean }) {
  if (!isDiff) return <Exact text={text} />;
  const lines = withoutNames(text.split('\n'));
  const rest = lines.length - MAX_DIFF_LINES;
  const change = lines.findIndex((line) => /^[+-]/.test(line));
  return (
    <>
      {lines.slice(0, MAX_DIFF_LINES).map((line, index) => (
        <span key={index} class={classOf(line)} ref={index === change ? showInBox : null}>
          <Exact text={`${line}\n`} />
        </span>
      ))}
      {rest > 0 && <span class="muted">{`… ${rest} more lines: see the diff in the editor`}</span>}
    </>
  );
}

/**
 * Removes the two header lines with the file name, which the card shows already. Only before the first hunk:
 * elsewhere, lines with `---` or `+++` are changes.
 */
function withoutNames(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line) => line.startsWith('@@ '));
  return lines.filter((line, index) => index >= first || !/^(?:---|\+\+\+) /.test(line));
}

/** Scrolls the diff to its first change, with one line of context above it. */
function showInBox(line: HTMLElement | null): void {
  const box = line?.closest('pre');
  if (line && box) box.scrollTop = line.offsetTop - box.offsetTop - line.offsetHeight;
}

function classOf(line: string): string {
  if (line.startsWith('@@')) return 'muted';
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : '';
}

function RejectForm({ onReject, onBack }: { onReject: (reason: string) => void; onBack: () => void }) {
  const [reason, setReason] = useState('');
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.focus(), []);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onReject(reason.trim());
      }}
    >
      <label>
        Why not? The model is told.
        <input ref={box} value={reason} onInput={({ currentTarget }) => setReason(currentTarget.value)} />
      </label>
      <div class="choices">
        <button type="submit">Reject</button>
        <button type="button" class="secondary" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}
