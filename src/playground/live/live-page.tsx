import { useEffect, useMemo, useRef } from 'preact/hooks';
import { Notice } from '../branches/files/notice.js';
import { moveFocus } from '../branches/move-focus.js';
import { Icon } from '../controls/icon.js';
import { plural } from '../text/figures.js';
import { ConnectionLine } from './connection-line.js';
import { type LiveSession, type LiveStep, sessionsOf } from './live-steps.js';
import { isLive } from './live-view.js';
import { SessionCard } from './session-card.js';
import { StepDetails } from './step-details.js';
import { chosenId, connection, live, watch } from './watching.js';

/** The steps of all clients of the service as they happen, and the details of the chosen one. */
export function LivePage() {
  useEffect(watch, []);
  const { steps } = live.value;
  const sessions = useMemo(() => sessionsOf(steps), [steps]);
  const session = sessions.find(({ steps: ofSession }) => ofSession.some(isChosen));
  const step = session?.steps.find(isChosen);
  return (
    <main class={`live${step ? ' has-choice' : ''}`}>
      <section class="live-list scroll" aria-labelledby="live-title">
        <Notice />
        <header class="live-head">
          <h2 id="live-title">Live</h2>
          <p class="muted figure">
            {sessions.length > 0 && `${plural(sessions.length, 'session')}, ${plural(steps.length, 'step')}`}
          </p>
          <button type="button" class="quiet" onClick={leave}>
            Back to your runs
          </button>
        </header>
        <ConnectionLine />
        <Sessions sessions={sessions} chosen={step} />
      </section>
      <section class="live-details scroll" aria-label="Details of the step">
        {session && step ? (
          <>
            <button type="button" class="quiet live-back" onClick={goBack}>
              <Icon name="chevron" /> All steps
            </button>
            <StepDetails key={step.id} session={session} step={step} />
          </>
        ) : (
          <p class="muted live-hint">
            Choose a step to see its prompt, its budget and how its reply was read.
          </p>
        )}
      </section>
    </main>
  );
}

const isChosen = ({ id }: LiveStep): boolean => id === chosenId.value;

const leave = (): void => {
  isLive.value = false;
};

interface SessionsProps {
  readonly sessions: readonly LiveSession[];
  readonly chosen: LiveStep | undefined;
}

/** The list of sessions with their steps. The up and down arrow keys move between steps. */
function Sessions({ sessions, chosen }: SessionsProps) {
  const list = useRef<HTMLDivElement>(null);
  if (sessions.length === 0) return connection.value.type === 'open' ? <Waiting /> : null;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons inside
    <div
      class="live-sessions"
      ref={list}
      onKeyDown={(event) => moveFocus(event, list.current?.querySelectorAll<HTMLElement>('.live-step'))}
    >
      {sessions.map((session) => (
        <SessionCard key={session.key} session={session} chosen={chosen} onChoose={choose} />
      ))}
    </div>
  );
}

const Waiting = () => (
  <div class="live-hint">
    <p>No client has asked for a step yet.</p>
    <p class="muted">
      Every step appears here as soon as it begins, whichever client asks for it: <code>react_step</code>, the
      SDK and the command, or an agent that uses <code>{location.origin}/v1</code> as its model.
    </p>
  </div>
);

/** Shows the details of a step. On narrow screens they replace the list, so the focus moves to them. */
function choose(id: string): void {
  chosenId.value = id;
  if (!matchMedia(NARROW).matches) return;
  requestAnimationFrame(() => document.querySelector<HTMLElement>('.live-back')?.focus());
}

const NARROW = '(max-width: 940px)';

function goBack(): void {
  const id = chosenId.value;
  chosenId.value = null;
  requestAnimationFrame(() => {
    const rows = [...document.querySelectorAll<HTMLElement>('.live-step')];
    rows.find(({ dataset }) => dataset['step'] === id)?.focus();
  });
}
