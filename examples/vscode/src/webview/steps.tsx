import { memo } from 'preact/compat';
import type { ShownAction, ShownStep } from '../run/conversation-view.js';
import type { ViewState } from '../view/messages.js';
import { CodeText } from './code-text.js';
import { request } from './host.js';
import { Markdown } from './markdown.js';
import { RemedyButtons } from './remedy-buttons.js';

/** The steps of the conversation and its current state. */
export function Steps({ run }: Pick<ViewState, 'run'>) {
  return (
    <>
      <ol class="steps" aria-label="Steps">
        {run.steps.map((step) => (
          <Step key={step.number} step={step} />
        ))}
      </ol>
      {run.status === 'interrupted' && <Interrupted />}
      {run.end && (
        <section class={`end end-${run.end.reason}`} aria-label="End of the run">
          <p>{run.end.sentence}</p>
          {run.end.remedy && <RemedyButtons remedies={[run.end.remedy]} />}
        </section>
      )}
    </>
  );
}

const Interrupted = () => (
  <section class="end" aria-label="Interrupted run">
    <p>The window was reloaded in the middle of this run. Its finished steps are kept.</p>
    <div class="choices">
      <button type="button" onClick={() => request({ type: 'resume' })}>
        Go on
      </button>
      <button type="button" class="secondary" onClick={() => request({ type: 'newTask' })}>
        New task
      </button>
    </div>
  </section>
);

/** The card of a step. It renders again only if the step changed. */
const Step = memo(({ step }: { step: ShownStep }) => {
  const { number, task, thought, answer, actions, remarks } = step;
  return (
    <li class="step">
      {task !== null && (
        <p class="task" dir="auto">
          <span class="hidden">Task: </span>
          {task}
        </p>
      )}
      <article aria-label={`Step ${number}`}>
        <h2 class="step-name">Step {number}</h2>
        {thought !== '' && (
          <div class="thought">
            <Markdown text={thought} />
          </div>
        )}
        {actions.map((action) => (
          <Action key={action.id} action={action} />
        ))}
        {remarks.map((text) => (
          <p class="remark" key={text}>
            {text}
          </p>
        ))}
        {answer !== '' && (
          <div class="answer">
            <Markdown text={answer} />
          </div>
        )}
      </article>
    </li>
  );
});

/** A collapsed tool call with its arguments and result. */
function Action({ action: { tool, args, brief, state, result } }: { action: ShownAction }) {
  return (
    <details class={`action action-${state.replace(' ', '-')}`}>
      <summary>
        <code>{tool}</code> <span class="brief">{brief}</span> <span class="state">{state}</span>
      </summary>
      <h3>Arguments</h3>
      <CodeText>{args}</CodeText>
      {result !== '' && (
        <>
          <h3>Result</h3>
          <CodeText>{result}</CodeText>
        </>
      )}
    </details>
  );
}
