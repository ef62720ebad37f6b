import { type Step, type StepError, type StepRequestInput, StepwiseClient, StepwiseError } from 'stepwise';

export type TakenStep = Step | FailedStep;

export interface FailedStep {
  readonly failure: StepError;
  /** True if the failure is the model's own reply, such as a refusal or an empty one, which is billed. */
  readonly billed: boolean;
}

/** Takes one step, which is one model call. Returns failures as values, so that the journal stores them, too. */
export async function takeStep(request: StepRequestInput, signal: AbortSignal): Promise<TakenStep> {
  try {
    const step = await createClient().step(request, { signal });
    return step.error ? { failure: step.error, billed: true } : step;
  } catch (error) {
    if (error instanceof StepwiseError) return { failure: error.toStepError(), billed: false };
    throw error;
  }
}

/**
 * Creates a client for one step. The key is read each time and sent in a header, so that neither request bodies nor the
 * journal contain it. Use a vault instead if keys rotate or differ by tenant.
 */
const createClient = (): StepwiseClient =>
  new StepwiseClient({
    baseUrl: process.env['STEPWISE_URL'] ?? 'http://127.0.0.1:8080',
    token: process.env['STEPWISE_TOKEN'],
    llmKey: process.env['STEPWISE_LLM_KEY'],
  });
