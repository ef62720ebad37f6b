import type { Step, StepRequestInput, TurnInput } from 'stepwise';
import { performActions } from './perform-actions.js';
import { tools } from './shop-tools.js';
import type { Outcome, RunContext } from './status.js';
import { type FailedStep, type TakenStep, takeStep } from './take-step.js';

const MAX_STEPS = 8;
const MAX_CORRECTIONS_IN_A_ROW = 2;

/** Of one step, for failures that pass; with waits of a minute this is an hour. */
const MAX_ATTEMPTS = 60;
const LONGEST_WAIT_MS = 60_000;

/** With these the provider may have written the whole reply, and billed it, each time. */
const perhapsBilled: ReadonlySet<string> = new Set([
  'upstream_timeout',
  'upstream_invalid_response',
  'service_timeout',
  'invalid_answer',
  'internal_error',
]);
/** So of those a step has few. */
const MAX_PERHAPS_BILLED = 3;

/** What the loop knows between two steps; made anew from the journal wherever the run is taken up again. */
interface Conversation {
  readonly sessionId: string;
  readonly history: TurnInput[];
  step: number;
  query: string;
  left: number;
  corrections: number;
}

/** The loop over the stateless step: README.md at the root has it on one screen, with nothing that lasts. */
export async function runLoop(ctx: RunContext, task: string): Promise<Outcome> {
  const sessionId = ctx.rand.uuidv4();
  const talk: Conversation = {
    sessionId,
    history: [],
    step: 1,
    query: task,
    left: MAX_STEPS,
    corrections: 0,
  };
  for (; talk.left > 0; talk.step += 1) {
    ctx.set('status', { state: 'running', step: talk.step });
    const taken = await takeDurableStep(ctx, `step ${talk.step}`, requestOf(talk));
    const outcome = await followUp(ctx, talk, taken);
    if (outcome) return outcome;
  }
  return failed('step_limit', 'There is no answer within the allowed number of steps.');
}

/**
 * The step, from the journal if it was made. It may be made twice only if the worker dies before the journal has it.
 * What passes (429, 503, no connection) is tried again; the wait needs no worker, and can be cancelled.
 */
async function takeDurableStep(ctx: RunContext, name: string, request: StepRequestInput): Promise<TakenStep> {
  const { attemptCompletedSignal } = ctx.request();
  let paidPerhaps = 0;
  for (let attempt = 1; ; attempt += 1) {
    const step = await ctx.run(name, () => takeStep(request, attemptCompletedSignal));
    const passes = 'failure' in step && step.failure.retryable && !step.billed;
    if (!passes || attempt === MAX_ATTEMPTS) return step;
    if (perhapsBilled.has(step.failure.code)) paidPerhaps += 1;
    if (paidPerhaps === MAX_PERHAPS_BILLED) return step;
    await ctx.sleep(step.failure.retry_after_ms ?? Math.min(1_000 * 2 ** (attempt - 1), LONGEST_WAIT_MS));
  }
}

function requestOf({ sessionId, history, query, left }: Conversation): StepRequestInput {
  return {
    // A token of the service may be for some projects only, and a project brings its files along.
    project_id: process.env['PROJECT_ID'] ?? sessionId,
    session_id: sessionId,
    user_query: query,
    conversation_history: history,
    llm_config: {
      modelName: process.env['MODEL'] ?? 'offline',
      provider: process.env['UPSTREAM'],
      tokenLimit: 8_000,
      reservedOutputTokens: 1_000,
    },
    max_iterations_left: left,
    tools: tools.map(({ execute: _, ...tool }) => tool),
    // The journal needs what the step added and nothing else: it grows with the run, not with its square.
    include: { history: false, report: 'none' },
  };
}

/** How the run ends with this step; undefined if it goes on. */
async function followUp(ctx: RunContext, talk: Conversation, step: TakenStep): Promise<Outcome | undefined> {
  if ('failure' in step) return endUnlessEmpty(talk, step);
  talk.history.push(...step.new_turns);
  talk.query = '';
  talk.left = step.iterations_remaining;
  if (step.correction) return correct(talk, step, step.correction);
  talk.corrections = 0;
  if (!step.action_details) return { state: 'answered', answer: step.direct_response ?? '' };
  const actions = [step.action_details, ...step.additional_actions];
  talk.history.push(...(await performActions(ctx, { step: talk.step, actions })));
  return undefined;
}

/** An empty reply is paid, so it is not asked for again: another step is, which costs an iteration. */
function endUnlessEmpty(talk: Conversation, { failure, billed }: FailedStep): Outcome | undefined {
  if (!failure.retryable || !billed) return { state: 'failed', error: failure };
  talk.left -= 1;
  return undefined;
}

/** The model meant to act and could not be read: it is told so, and the next step tries again. */
function correct(talk: Conversation, step: Step, correction: TurnInput): Outcome | undefined {
  const isAnswer = step.parse?.outcome === 'answer';
  if (talk.corrections < (isAnswer ? 1 : MAX_CORRECTIONS_IN_A_ROW)) {
    talk.history.push(correction);
    talk.corrections += 1;
    return undefined;
  }
  return isAnswer
    ? { state: 'answered', answer: step.direct_response ?? '' }
    : failed('malformed_action', 'The model wrote actions that could not be read, three times in a row.');
}

const failed = (code: string, message: string): Outcome => ({ state: 'failed', error: { code, message } });
