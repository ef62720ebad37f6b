import { isObject } from '../contract/fields.js';
import type { ClientTerms, RecordedStep } from '../contract/recorded-step.js';
import type { StepError } from '../contract/step.js';
import { onDemand } from '../event-loop/on-demand.js';
import { completeSettings } from './settings/config.js';
import type { Settings } from './settings/settings.js';
import { Interruption, type StepDeadline } from './step/interruption.js';
import type { StepInput } from './step/react-step.js';
import { version } from './version.js';

/** A recorded request, which the caller may have edited. It contains no key. */
type RecordedRequest = RecordedStep['request'];

interface MakeOptions {
  /** API key of the model's provider. No record contains it. */
  readonly key: string | undefined;
  readonly signal: AbortSignal;
}

/** A recorded step, or the error if no step could be made. */
type MadeStep = { readonly step: RecordedStep } | { readonly error: StepError };

/** Makes recorded steps again inside this process, including those of the compatible endpoints. */
export interface StepMaker {
  /** Returns an error if the model fails or the request is refused; does not throw in these cases. */
  make(request: RecordedRequest, options: MakeOptions): Promise<MadeStep>;
  close(): Promise<void>;
}

/**
 * Opens everything that is needed to make steps, without listening for requests. Reads no file, because a recorded
 * request contains its context. Throws `ConfigError` for invalid settings.
 */
export async function openStepMaker(settings: Settings): Promise<StepMaker> {
  const config = completeSettings(settings);
  const offline = onDemand(() =>
    import('../offline/offline-model.js').then((room) => room.startOfflineModel()),
  );
  const [
    { makeAgent },
    { resolveModel, connectModel },
    { RequestRefused, toFailure },
    { recordingStep },
    { reactStep },
    { stepRequestSchema },
  ] = await Promise.all([
    import('./make-agent.js'),
    import('./http/intake/accept-request.js'),
    import('./http/failure/to-failure.js'),
    import('./recording/recording-step.js'),
    import('./step/react-step.js'),
    import('../contract/step-request.js'),
  ]);
  const { models } = makeAgent(config, { startOffline: async () => `${(await offline.get()).url}/v1` });

  /**
   * Checks a recorded request as strictly as one sent over HTTP, because a recording may come from anywhere. Throws
   * `RequestRefused`.
   */
  const readInput = ({ terms, ...sent }: RecordedRequest): StepInput => {
    const read = stepRequestSchema.safeParse(sent);
    if (read.success && areTerms(terms)) return { ...read.data, ...(terms && { terms }) };
    const [issue] = read.error?.issues ?? [];
    const place = issue?.path.join('.') || 'terms';
    throw new RequestRefused('invalid_request', [
      { path: place, code: 'invalid', message: `${place}: ${issue?.message ?? 'unknown tool choice'}` },
    ]);
  };

  const make = async (request: RecordedRequest, { key, signal }: MakeOptions): Promise<RecordedStep> => {
    const input = readInput(request);
    const model = resolveModel(input.llm_config, models);
    const made: RecordedStep[] = [];
    const step = recordingStep(reactStep, { sink: (each) => void made.push(each), version });
    const { deadlineMs = config.STEP_DEADLINE_MS } = input.llm_config;
    const deadline = startDeadline(Math.min(deadlineMs, config.STEP_DEADLINE_MS), signal);
    try {
      await step(input, {
        profile: model.profile,
        tokens: model.tokenCounter(deadline.signal),
        ...connectModel(model, key),
        deadline,
        now: () => new Date(),
        sources: [],
        during: (_, work) => work(),
      });
    } finally {
      deadline.end();
    }
    const [recorded] = made;
    if (!recorded) throw new Error('The step was made without its model.');
    return recorded;
  };

  return {
    make: (request, options) =>
      make(request, options).then(
        (step) => ({ step }),
        (thrown: unknown) => ({ error: toFailure(thrown) }),
      ),
    close: async () => {
      await models.close();
      await offline.made()?.then((model) => model.close());
    },
  };
}

/** Starts the deadline of one step. An abort of the signal is treated like a caller who leaves. */
function startDeadline(timeMs: number, signal: AbortSignal): StepDeadline & { end(): void } {
  const controller = new AbortController();
  const until = performance.now() + timeMs;
  const timer = setTimeout(() => controller.abort(new Interruption('deadline')), timeMs);
  const leave = () => controller.abort(new Interruption('caller_left'));
  signal.addEventListener('abort', leave);
  if (signal.aborted) leave();
  return {
    signal: controller.signal,
    remainingMs: () => Math.max(0, until - performance.now()),
    end: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    },
  };
}

const choices: readonly unknown[] = ['auto', 'none', 'required'];

function areTerms(terms: ClientTerms | undefined): boolean {
  if (terms === undefined) return true;
  const choice: unknown = terms?.toolChoice;
  return choices.includes(choice) || (isObject(choice) && typeof choice['name'] === 'string');
}
