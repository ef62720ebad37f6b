import type { Step, StepRequestInput, TurnInput } from 'stepwise';
import { performActions } from './perform-actions.js';
import { tools } from './shop-tools.js';
import type { Outcome, RunContext } from './status.js';
import { type FailedStep, type TakenStep, takeStep } from './take-step.js';

const MAX_STEPS = 8;
const MAX_CORRECTIONS_IN_A_ROW = 2;

/** Maximum attempts of one step after temporary failures; with waits of a minute, this is about an hour. */
const MAX_ATTEMPTS = 60;
const LONGEST_WAIT_MS = 60_000;

/** Errors after which the provider may have generated and billed the whole reply. */
const perhapsBilled: ReadonlySet<string> = new Set([
  'upstream_timeout',
  'upstream_invalid_response',
  'service_timeout',
  'invalid_answer',
  'internal_error',
]);
/** Maximum attempts of one step that may have been billed. */
const MAX_PERHAPS_BILLED = 3;

/** State of the loop between two steps; rebuilt from the journal when a worker resumes the run. */
interface Conversation {
  readonly sessionId: string;
  readonly history: TurnInput[];
  step: number;
  query: string;
  left: number;
  corrections: number;
}

/** Runs the agent's loop of step requests. The root README.md shows the same loop without durability. */
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
 * Takes a step, or returns it from the journal. A step runs twice only if the worker dies before the journal stores
 * it. Retries temporary failures (429, 503, no connection); the wait needs no worker and can be cancelled.
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
    // `PROJECT_ID` is needed if the service token is limited to certain projects. The context of each step then
    // includes that project's files.
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
    // Asks only for what the step added, so that the journal grows linearly with the run.
    include: { history: false, report: 'none' },
  };
}

/** Evaluates the result of a step. Returns how the run ended; undefined if it continues. */
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

/**
 * Continues with another step after an empty reply, which was billed and costs an iteration; ends the run on any other
 * failure.
 */
function endUnlessEmpty(talk: Conversation, { failure, billed }: FailedStep): Outcome | undefined {
  if (!failure.retryable || !billed) return { state: 'failed', error: failure };
  talk.left -= 1;
  return undefined;
}

/**
 * Adds the correction to the history, so that the model can repair its reply in the next step. After too many
 * corrections in a row, returns the end of the run instead.
 */
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
