import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { ModelCallView, RecordedStep } from '../../sdk/index.js';
import { notice } from '../branches/files/notice.js';
import { Icon } from '../controls/icon.js';
import { BudgetTab } from '../inspect/context/context-tab.js';
import { PromptView } from '../inspect/prompt/prompt-tab.js';
import { ReplyTab } from '../inspect/reply/reply-tab.js';
import { RequestTab } from '../inspect/request/request-tab.js';
import { Tabs } from '../inspect/tabs.js';
import { active, inWords } from '../state/runs.js';
import { Exact } from '../text/exact.js';
import { duration } from '../text/figures.js';
import { CacheNote } from './cache-note.js';
import { type DoneStep, formerStep, isDone, type LiveSession, type LiveStep } from './live-steps.js';
import { Elapsed, titleOf } from './session-card.js';
import { forkFrom, openAsRun, saveAsTest } from './take-over.js';
import { live, openTab } from './watching.js';
import { endpointNames, outcomeInWords, timeOfDay, tokensInWords } from './words.js';

interface StepDetailsProps {
  readonly session: LiveSession;
  readonly step: LiveStep;
}

/** The details of a step: the prompt that the model received, its reply, and how the service parsed the reply. */
export function StepDetails({ session, step }: StepDetailsProps) {
  const { endpoint, model, beganAt, state } = step;
  const number = session.steps.indexOf(step) + 1;
  return (
    <div class="inspector">
      <header class="inspector-head">
        <h2>
          Step {number} of {session.steps.length}
        </h2>
        <p class="muted small figure">
          <Exact text={[timeOfDay(beganAt), model, endpointNames[endpoint]].filter(Boolean).join(' · ')} />
        </p>
      </header>
      <p class="live-task" dir="auto">
        <Exact text={titleOf(session)} />
      </p>
      {isDone(step) && <DoneDetails session={session} step={step} />}
      {state.type === 'running' && (
        <p class="muted">
          The model is at work: <Elapsed since={state.since} />. The prompt and the reply appear when it has
          answered.
        </p>
      )}
      {state.type === 'failed' && (
        <p class="problem">
          <Exact text={state.message} /> <code>{state.code}</code>
          <span class="muted"> After {duration(state.durationMs)}.</span>
        </p>
      )}
    </div>
  );
}

interface DoneDetailsProps {
  readonly session: LiveSession;
  readonly step: DoneStep;
}

function DoneDetails({ session, step }: DoneDetailsProps) {
  const { record } = step.state;
  const { steps } = live.value;
  const before = useMemo(() => formerStep(steps, step), [steps, step]);
  const call = useMemo(() => callOf(step), [step]);
  const report = record.response.context_report;
  return (
    <>
      <p class="small figure">
        <Exact
          text={[outcomeInWords(record), tokensInWords(record.response), duration(record.duration_ms)]
            .filter(Boolean)
            .join(' · ')}
        />
      </p>
      <Actions session={session} step={step} />
      <Tabs
        label={`Step ${session.steps.indexOf(step) + 1}`}
        open={openTab}
        tabs={[
          {
            id: 'prompt',
            name: 'Prompt',
            panel: () => (
              <>
                <CacheNote before={before} record={record} />
                <PromptView preview={record.prompt} before={before?.record.prompt ?? null} />
              </>
            ),
          },
          {
            id: 'context',
            name: 'Context',
            panel: () =>
              report ? (
                <BudgetTab report={report} name="This prompt" />
              ) : (
                <p class="muted">The step has no context report.</p>
              ),
          },
          { id: 'reply', name: 'Reply', panel: () => <ReplyTab call={call} /> },
          { id: 'request', name: 'Request', panel: () => <RequestTab call={call} /> },
        ]}
      />
    </>
  );
}

/** Buttons for a step of any client, such as the one that opens its run. */
function Actions({ session, step }: DoneDetailsProps) {
  const isBusy = useSignal(false);
  const act = (work: typeof openAsRun) => () => {
    isBusy.value = true;
    work(session, step)
      .catch((error: unknown) => {
        notice.value = inWords(error);
      })
      .finally(() => {
        isBusy.value = false;
      });
  };
  return (
    <div class="live-actions">
      <button type="button" class="small-button" disabled={isBusy.value} onClick={act(openAsRun)}>
        <Icon name="step" /> Open as a run
      </button>
      <button
        type="button"
        class="small-button"
        disabled={isBusy.value || active.value !== null}
        title={active.value ? 'Wait until your run has ended, or stop it' : undefined}
        onClick={act(forkFrom)}
      >
        <Icon name="branch" /> Fork from here…
      </button>
      <button
        type="button"
        class="small-button"
        title="All steps of this session as a file for `stepwise eval`"
        onClick={() => saveAsTest(session)}
      >
        <Icon name="download" /> Save as a test
      </button>
    </div>
  );
}

/** Converts a recorded step to a model call that the inspector can show. */
function callOf({ id, state: { record } }: DoneStep): ModelCallView {
  const { response, completion_text, duration_ms } = record;
  return {
    phase: response.phase,
    request: requestOf(record),
    response: {
      ...response,
      completion_text,
      recorded_step: null,
      updated_conversation_history: null,
      request_id: id,
    },
    draft: '',
    thought: response.thought ?? '',
    answer: response.direct_response ?? '',
    reasoning: response.reasoning ?? '',
    isStale: false,
    failures: [],
    isAbandoned: false,
    startedAt: 0,
    endedAt: duration_ms,
  };
}

/** Returns the request in the form that `react_step` accepts: without the terms of a compatible endpoint. */
function requestOf({ request: { terms: _, ...request } }: RecordedStep): ModelCallView['request'] {
  return request;
}
