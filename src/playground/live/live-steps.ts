import type { WatchEvent, WatchedEndpoint } from '../../contract/watch.js';
import type { RecordedStep } from '../../sdk/index.js';

/** A step of any client of the service, as far as the page knows it. */
export interface LiveStep {
  readonly id: string;
  readonly sessionId: string | null;
  readonly endpoint: WatchedEndpoint;
  /** Null for a failed step whose beginning the page has not seen. */
  readonly model: string | null;
  /** Start of the step (ISO 8601); null in the same case as `model`. */
  readonly beganAt: string | null;
  readonly state: StepState;
}

type StepState =
  | {
      readonly type: 'running';
      /** Time on the page's clock at which the step was seen first, in milliseconds. */
      readonly since: number;
    }
  | { readonly type: 'done'; readonly record: RecordedStep; readonly size: number }
  | {
      readonly type: 'failed';
      readonly code: string;
      readonly message: string;
      readonly durationMs: number;
    };

/** A step that a model has answered. */
export type DoneStep = LiveStep & { readonly state: Extract<StepState, { type: 'done' }> };

export const isDone = (step: LiveStep): step is DoneStep => step.state.type === 'done';

/** The steps that the page keeps, in the order in which they began. */
export interface LiveSteps {
  readonly steps: readonly LiveStep[];
  /** Maximum number of ended steps, and of characters of their records: the limits of the service. */
  readonly limits: { readonly steps: number; readonly size: number };
}

export const noSteps: LiveSteps = { steps: [], limits: { steps: 100, size: 64 * 1_048_576 } };

/** The size of an event, in characters, and the time on the page's clock at which it arrived. */
export interface Arrival {
  readonly size: number;
  readonly at: number;
}

/** Returns the steps after one more event. Beyond the limits, drops the oldest steps that have ended. */
export function takeEvent(kept: LiveSteps, event: WatchEvent, { size, at }: Arrival): LiveSteps {
  if (event.type === 'watch.started') return restart(kept, event);
  const known = kept.steps.find(({ id }) => id === event.id);
  if (event.type === 'step.began') {
    if (known) return kept;
    const { id, session_id: sessionId, endpoint, model, began_at: beganAt } = event;
    const state = { type: 'running', since: at } as const;
    return { ...kept, steps: [...kept.steps, { id, sessionId, endpoint, model, beganAt, state }] };
  }
  const ended = endedStep(event, known, size);
  const steps = known ? kept.steps.map((step) => (step === known ? ended : step)) : [...kept.steps, ended];
  return { ...kept, steps: withinLimits(steps, kept.limits) };
}

/** Keeps only the steps that have ended. The service reports the running ones again. */
function restart({ steps }: LiveSteps, event: Extract<WatchEvent, { type: 'watch.started' }>): LiveSteps {
  const limits = { steps: event.limit_steps, size: event.limit_bytes };
  return { steps: withinLimits(steps.filter(hasEnded), limits), limits };
}

const hasEnded = ({ state }: LiveStep): boolean => state.type !== 'running';

function endedStep(
  event: Extract<WatchEvent, { type: 'step.watched' | 'step.failed' }>,
  known: LiveStep | undefined,
  size: number,
): LiveStep {
  const { id, session_id: sessionId, endpoint } = event;
  if (event.type === 'step.watched') {
    const { step: record } = event;
    const model = record.response.model ?? record.request.llm_config.modelName;
    const state = { type: 'done', record, size } as const;
    return { id, sessionId, endpoint, model, beganAt: record.began_at, state };
  }
  const { code, message, duration_ms: durationMs } = event;
  const { model = null, beganAt = null } = known ?? {};
  return { id, sessionId, endpoint, model, beganAt, state: { type: 'failed', code, message, durationMs } };
}

function withinLimits(steps: readonly LiveStep[], limits: LiveSteps['limits']): readonly LiveStep[] {
  let [count, size] = [0, 0];
  const isKept = (step: LiveStep): boolean => {
    if (!hasEnded(step)) return true;
    count += 1;
    size += isDone(step) ? step.state.size : 0;
    return count <= limits.steps && size <= limits.size;
  };
  return steps.toReversed().filter(isKept).toReversed();
}

/** The steps of one conversation, oldest first. */
export interface LiveSession {
  /** Unique on the page. */
  readonly key: string;
  /** Id of the session; null for steps that have none. */
  readonly id: string | null;
  /** The task; empty while no step has been answered. */
  readonly task: string;
  readonly steps: readonly LiveStep[];
}

/**
 * Groups steps by session, the session with the newest step first. Steps without a session are grouped by their first
 * user message; a step without either is a group of its own.
 */
export function sessionsOf(steps: readonly LiveStep[]): readonly LiveSession[] {
  const groups = new Map<string, LiveStep[]>();
  for (const step of steps.toReversed()) {
    const key = keyOf(step);
    groups.set(key, [step, ...(groups.get(key) ?? [])]);
  }
  return [...groups].map(([key, ofSession]) => {
    const first = ofSession.find(isDone);
    return {
      key,
      id: ofSession[0]?.sessionId ?? null,
      task: first ? taskOf(first.state.record) : '',
      steps: ofSession,
    };
  });
}

function keyOf(step: LiveStep): string {
  if (step.sessionId !== null) return `session ${step.sessionId}`;
  const message = isDone(step) ? firstMessage(step.state.record) : '';
  return message === '' ? `step ${step.id}` : `message ${message}`;
}

const firstMessage = ({
  request: { conversation_history: turns, user_query: query },
}: RecordedStep): string => turns.find(({ role }) => role === 'user')?.content ?? query;

/** Returns the query of a step; if it is empty, the newest message that the user wrote. */
const taskOf = ({ request: { user_query, conversation_history: turns } }: RecordedStep): string =>
  user_query || (turns.findLast(({ role, kind }) => role === 'user' && !kind)?.content ?? '');

/** An earlier answered step, whose prompt is compared with the prompt of a step. */
export interface FormerStep {
  readonly record: RecordedStep;
  /** True if this step belongs to another session, which began with the same message. */
  readonly isOfOtherSession: boolean;
}

/**
 * Returns the previous answered step of the session. For the first step of a session, returns the newest step of
 * another session that began with the same message and offered the same tools. At a compatible endpoint, the service
 * derives the session from the system text and the first message, so a client whose system text changes begins a new
 * session with each request.
 */
export function formerStep(steps: readonly LiveStep[], step: DoneStep): FormerStep | null {
  const before = steps.slice(0, steps.indexOf(step)).filter(isDone);
  const key = keyOf(step);
  const own = before.findLast((other) => keyOf(other) === key);
  if (own) return { record: own.state.record, isOfOtherSession: false };
  const other = before.findLast((each) => isLike(each, step));
  return other ? { record: other.state.record, isOfOtherSession: true } : null;
}

function isLike(one: DoneStep, other: DoneStep): boolean {
  const [a, b] = [one.state.record, other.state.record];
  const message = firstMessage(a);
  return (
    one.endpoint === other.endpoint &&
    message !== '' &&
    message === firstMessage(b) &&
    toolNames(a) === toolNames(b)
  );
}

const toolNames = ({ request: { tools } }: RecordedStep): string =>
  (tools ?? []).map(({ name }) => name).join(' ');
