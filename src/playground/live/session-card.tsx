import { Exact } from '../text/exact.js';
import { duration, plural } from '../text/figures.js';
import { useNow } from '../timeline/use-now.js';
import { comparePrefix } from './compare-prefix.js';
import { formerStep, isDone, type LiveSession, type LiveStep } from './live-steps.js';
import { live } from './watching.js';
import { endpointNames, outcomeInWords, timeOfDay, tokensInWords } from './words.js';

interface SessionCardProps {
  readonly session: LiveSession;
  readonly chosen: LiveStep | undefined;
  readonly onChoose: (id: string) => void;
}

/** A session with its steps, the newest on top. */
export function SessionCard({ session, chosen, onChoose }: SessionCardProps) {
  const { id, steps } = session;
  return (
    <section class="live-session">
      <header>
        <h3 class="live-task" dir="auto">
          <Exact text={titleOf(session)} />
        </h3>
        <p class="muted small figure">
          {plural(steps.length, 'step')}
          {id !== null && (
            <>
              {' '}
              · session <code title={id}>{id.slice(0, 8)}</code>
            </>
          )}
        </p>
      </header>
      <ol>
        {steps.toReversed().map((step) => (
          <StepRow key={step.id} step={step} isChosen={step === chosen} onChoose={onChoose} />
        ))}
      </ol>
    </section>
  );
}

const MAX_TITLE = 200;

/** Returns the title of a session: its task or, before a model has answered, a description of its state. */
export const titleOf = ({ task, steps }: LiveSession): string =>
  task.trim().slice(0, MAX_TITLE) ||
  (steps.some(({ state }) => state.type === 'running')
    ? 'Waits for its first reply'
    : 'A session without a reply');

interface StepRowProps {
  readonly step: LiveStep;
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
}

function StepRow({ step, isChosen, onChoose }: StepRowProps) {
  const { id, endpoint, model, beganAt, state } = step;
  const isChanged = hasChangedPrefix(live.value.steps, step);
  return (
    <li>
      <button
        type="button"
        class={`live-step live-step-${state.type}`}
        data-step={id}
        aria-pressed={isChosen}
        onClick={() => onChoose(id)}
      >
        <span class="live-when figure muted">{timeOfDay(beganAt)}</span>
        <span class="live-what">
          <Outcome step={step} />
        </span>
        <span class="live-figures figure muted">
          <Figures step={step} />
        </span>
        <span class="live-by muted">
          <Exact text={[model, endpointNames[endpoint]].filter(Boolean).join(' · ')} />
          {isChanged && <span class="live-mark">prefix changed</span>}
        </span>
      </button>
    </li>
  );
}

/** Caches whether the beginning of a step's prompt changed, since the list is rendered again with each event. */
const changed = new WeakMap<LiveStep, boolean>();

function hasChangedPrefix(steps: readonly LiveStep[], step: LiveStep): boolean {
  if (!isDone(step)) return false;
  const known = changed.get(step);
  if (known !== undefined) return known;
  const before = formerStep(steps, step);
  const isChanged = before !== null && comparePrefix(before.record, step.state.record).change !== null;
  changed.set(step, isChanged);
  return isChanged;
}

function Outcome({ step: { state } }: { step: LiveStep }) {
  switch (state.type) {
    case 'running':
      return (
        <>
          <span class="spinner" aria-hidden="true" /> running
        </>
      );
    case 'failed':
      return (
        <>
          <Exact text={state.message} /> <code>{state.code}</code>
        </>
      );
    case 'done':
      return <Exact text={outcomeInWords(state.record)} />;
  }
}

function Figures({ step: { state } }: { step: LiveStep }) {
  switch (state.type) {
    case 'running':
      return <Elapsed since={state.since} />;
    case 'failed':
      return <>{duration(state.durationMs)}</>;
    case 'done':
      return (
        <>
          {[tokensInWords(state.record.response), duration(state.record.duration_ms)]
            .filter(Boolean)
            .join(' · ')}
        </>
      );
  }
}

const TICK_MS = 500;

/** Shows the time since a moment on the page's clock. */
export function Elapsed({ since }: { since: number }) {
  const now = useNow(TICK_MS);
  return <>{(Math.max(0, now - since) / 1_000).toFixed(0)} s</>;
}
