import type { Step } from '../../contract/step.js';
import type { StepRequestInput } from '../../contract/step-request.js';
import { withHint } from '../base/error-hints.js';
import { StepwiseError } from '../base/stepwise-error.js';
import { pause } from '../base/until-aborted.js';
import { withoutNul } from '../base/without-nul.js';
import { buildRequest } from './build-request.js';
import { callOption } from './call-option.js';
import type { RunState } from './run-state.js';

export interface ModelCall {
  readonly phase: Step['phase'];
  /** Makes the model answer in this step, however many iterations are left. */
  readonly lastCall?: boolean;
}

const DEFAULT_RETRIES = 2;
/** Wait before the first retry if the service names no time; each further retry doubles it. */
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;

/**
 * Requests one step and adds it to the run's history. Retries temporary failures as often as the run's `retries` allow, then goes on with
 * its fallbacks.
 * Throws `StepwiseError`, or the signal's reason.
 */
export async function callModel(run: RunState, call: ModelCall): Promise<Step> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await attemptStep(run, call);
    } catch (error) {
      if (run.signal.aborted || !(error instanceof StepwiseError)) throw error;
      const reported = withHint(error.toStepError(), run.llmConfig);
      const wait = retryWait(run, error, attempt);
      const fallback = wait === null && isOutage(error) ? run.takeFallback() : undefined;
      if (wait === null && fallback === undefined) throw error;
      await run.emit({ type: 'agent_error', error: reported, retryInMs: wait ?? 0, fallback });
      if (wait === null) attempt = -1;
      else await pause(wait, run.signal);
    }
  }
}

/**
 * Returns true if the provider failed in a way that may pass and that another provider probably does not share.
 */
const isOutage = ({ code, retryable }: StepwiseError): boolean => retryable && code.startsWith('upstream_');

async function attemptStep(run: RunState, { phase, lastCall = run.mustAnswer }: ModelCall): Promise<Step> {
  run.signal.throwIfAborted();
  // Tool definitions of an MCP server, chunks of a search and the caller's texts may contain NUL, too.
  const request = withoutNul(buildRequest(run, { phase, lastCall }));
  await callOption('onRequest', () => announce(run, request));
  const response = run.absorb(await receive(run, request));
  const spent = lastCall || phase === null || phase === 'observe' ? 1 : 0;
  const left = run.iterationsLeft - spent; // counted here too, so that no service can make a run endless
  run.iterationsLeft = lastCall ? left : Math.min(left, response.iterations_remaining);
  await emitResponse(run, response);
  run.signal.throwIfAborted();
  return response;
}

/** Calls `onRequest` without waiting for a promise that it may return, so that a slow logger delays no step. */
function announce({ options }: RunState, request: StepRequestInput): void {
  const returned: unknown = options.onRequest?.(request);
  Promise.resolve(returned).catch(() => undefined);
}

function emitResponse(run: RunState, response: Step): Promise<void> {
  const { thought, phase } = response;
  return phase === 'observe'
    ? run.emit({
        type: 'agent_observe',
        observations: run.takeHeldObservations() ?? [],
        thought,
        response,
      })
    : run.emit({ type: 'agent_reason', thought, response });
}

async function receive(run: RunState, request: StepRequestInput): Promise<Step> {
  const { service, callOptions, options } = run;
  if (options.stream === false) return service.step(request, callOptions);
  for await (const event of service.stream(request, callOptions)) {
    if (event.type === 'step.completed') return event.step;
    const type = deltaTypeOf(event.type, request);
    if (type && 'delta' in event) await run.emit({ type, delta: event.delta });
  }
  throw new StepwiseError({
    code: 'service_unreachable',
    message: 'The connection to the service ended before the step was complete.',
    retryable: true,
  });
}

type DeltaType = 'draft_delta' | 'thought_delta' | 'answer_delta';

/**
 * Returns the type of the run's event for a delta. In the phases `reason` and `act` a draft can only be thought (rule: phases), and
 * without tools only an answer (rule: text-stream).
 */
function deltaTypeOf(type: string, { phase, tools }: StepRequestInput): DeltaType | undefined {
  const delta = deltaEvents.get(type);
  if (delta !== 'draft_delta') return delta;
  if (phase === 'reason' || phase === 'act') return 'thought_delta';
  return !phase && !tools?.length ? 'answer_delta' : delta;
}

const deltaEvents: ReadonlyMap<string, DeltaType> = new Map([
  ['draft.delta', 'draft_delta'],
  ['thought.delta', 'thought_delta'],
  ['answer.delta', 'answer_delta'],
]);

/** Returns the milliseconds before the next attempt; null if there must be none. */
function retryWait({ options }: RunState, error: StepwiseError, attempt: number): number | null {
  const mayRetry = error.retryable && attempt < (options.retries ?? DEFAULT_RETRIES);
  if (!mayRetry) return null;
  return Math.min(error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt, MAX_WAIT_MS);
}
