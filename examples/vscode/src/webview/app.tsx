import { useEffect, useState } from 'preact/hooks';
import type { ViewState } from '../view/messages.js';
import { ApprovalCard } from './approval-card.js';
import { Budget } from './budget.js';
import { Composer } from './composer.js';
import { applyMessage, onMessage, request } from './host.js';
import { LiveRegion } from './live-region.js';
import { Plan } from './plan.js';
import { QuestionCard } from './question-card.js';
import { RemedyButtons } from './remedy-buttons.js';
import { Steps } from './steps.js';
import { useFollowedEnd } from './use-followed-end.js';

/** The whole view: the conversation on top, pending requests in the middle, the task box at the bottom. */
export function App() {
  const [state, setState] = useState<ViewState | null>(null);
  useEffect(() => {
    const end = onMessage((message) => {
      if (message.type === 'state') setState((before) => applyMessage(before, message));
    });
    request({ type: 'ready' });
    return end;
  }, []);
  if (!state) return <p class="muted">Loading …</p>;
  const { run, approval, question, service, refusals } = state;
  return (
    <>
      <h1 class="hidden">Stepwise</h1>
      <LiveRegion state={state} />
      <Happened run={run} refusals={refusals} />
      <div class="now">
        {approval && <ApprovalCard key={approval.id} approval={approval} />}
        {question && <QuestionCard key={question.callId} question={question} />}
        {service.state === 'trouble' && (
          <section class="trouble" aria-label="Service">
            <p>{service.sentence}</p>
            <RemedyButtons remedies={service.remedies} />
          </section>
        )}
        <Composer state={state} />
      </div>
    </>
  );
}

/** The scrolling part: plan, steps, and composition of the newest prompt. */
function Happened({ run, refusals }: Pick<ViewState, 'run' | 'refusals'>) {
  const scrolled = useFollowedEnd(run);
  return (
    <div class="happened" ref={scrolled}>
      {run.status === 'idle' && <Welcome />}
      {run.tasks.length > 0 && <Plan tasks={run.tasks} />}
      {refusals.length > 0 && (
        <ul class="refusals" aria-label="Not sent">
          {refusals.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      <Steps run={run} />
      {run.budget && <Budget budget={run.budget} />}
    </div>
  );
}

const Welcome = () => (
  <section class="welcome" aria-label="Welcome">
    <p>
      Give the agent a task. You see each step as it happens, what the model was shown and what did not fit,
      and you agree to every change before it is made.
    </p>
    <p class="muted">The file you look at and your selection go with the task; @ names more.</p>
  </section>
);
