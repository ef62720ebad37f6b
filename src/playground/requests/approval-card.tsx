import { useRef, useState } from 'preact/hooks';
import { parseObject } from '../../conversation/is-object.js';
import { type ApprovalDecision, type ApprovalRequest, describeRule, renderCall } from '../../sdk/index.js';
import type { Pending } from '../run/active-run.js';
import { Exact } from '../text/exact.js';
import { LongText } from '../text/long-text.js';
import { DiffPreview } from './diff-preview.js';
import { useBorrowedFocus } from './use-borrowed-focus.js';

type Decide = (decision: ApprovalDecision) => void;

/**
 * Asks for approval before any action of a step runs: allow, always, edit, deny with a reason, stop (rule: approval).
 */
export function ApprovalCard({ pending }: { pending: Pending<ApprovalRequest, ApprovalDecision> }) {
  const { request, decide } = pending;
  const [mode, setMode] = useState<'choose' | 'edit' | 'deny'>('choose');
  const card = useRef<HTMLElement>(null);
  useBorrowedFocus(card, request);
  const { action, preview } = request;
  const back = (): void => {
    setMode('choose');
    card.current?.focus();
  };
  /** Escape first closes an open form of this card; pressed again, it stops the run. */
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.isComposing || mode === 'choose') return;
    event.preventDefault();
    back();
  };
  return (
    <section class="approval" ref={card} tabIndex={-1} aria-labelledby="approval-title" onKeyDown={onKeyDown}>
      <h2 id="approval-title">
        Allow <code>{action.tool_name}</code>?
      </h2>
      <LongText isExact text={renderCall(action.tool_name, action.tool_args)} />
      {preview !== null && mode === 'choose' && <DiffPreview text={preview} />}
      {mode === 'choose' && <Choices request={request} decide={decide} onMode={setMode} />}
      {mode === 'edit' && <EditForm request={request} decide={decide} onBack={back} />}
      {mode === 'deny' && <DenyForm decide={decide} onBack={back} />}
    </section>
  );
}

interface ChoicesProps {
  readonly request: ApprovalRequest;
  readonly decide: Decide;
  readonly onMode: (mode: 'edit' | 'deny') => void;
}

const Choices = ({ request, decide, onMode }: ChoicesProps) => (
  <div class="choices">
    <button type="button" class="primary" onClick={() => decide({ type: 'allow' })}>
      Allow
    </button>
    {request.rules.map((rule) => (
      <button type="button" onClick={() => decide({ type: 'always', rule })}>
        Always: <Exact text={describeRule(rule)} />
      </button>
    ))}
    <button type="button" onClick={() => onMode('edit')}>
      Edit…
    </button>
    <button type="button" onClick={() => onMode('deny')}>
      Deny…
    </button>
    <button type="button" onClick={() => decide({ type: 'stop' })}>
      Stop the run
    </button>
  </div>
);

function EditForm({
  request,
  decide,
  onBack,
}: {
  request: ApprovalRequest;
  decide: Decide;
  onBack: () => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(request.action.tool_args, null, 2));
  const args = parseObject(text);
  const submit = (event: Event): void => {
    event.preventDefault();
    if (args) decide({ type: 'edit', args });
  };
  return (
    <form onSubmit={submit}>
      <label>
        Arguments, as JSON
        <textarea
          class="code"
          rows={Math.min(12, text.split('\n').length + 1)}
          value={text}
          spellcheck={false}
          aria-invalid={args === null}
          ref={focusOnce}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </label>
      {!args && <p class="problem">This is not a JSON object.</p>}
      <div class="choices">
        <button type="submit" class="primary" disabled={!args}>
          Run with these
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

function DenyForm({ decide, onBack }: { decide: Decide; onBack: () => void }) {
  const [reason, setReason] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    decide({ type: 'deny', reason: reason.trim() });
  };
  return (
    <form onSubmit={submit}>
      <label>
        Why not? The model is told.
        <input
          value={reason}
          ref={focusOnce}
          placeholder="No reason"
          onInput={({ currentTarget }) => setReason(currentTarget.value)}
        />
      </label>
      <div class="choices">
        <button type="submit" class="danger">
          Deny
        </button>
        <button type="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

const seen = new WeakSet<HTMLElement>();
const focusOnce = (element: HTMLElement | null): void => {
  if (!element || seen.has(element)) return;
  seen.add(element);
  element.focus();
};
