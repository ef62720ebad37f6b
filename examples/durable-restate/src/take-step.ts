import { type Step, type StepError, type StepRequestInput, StepwiseClient, StepwiseError } from 'stepwise';

export type TakenStep = Step | FailedStep;

export interface FailedStep {
  readonly failure: StepError;
  /** True where the model was called and this is what came of it: a refusal, an empty reply. */
  readonly billed: boolean;
}

/** One step of the service: one model call. What went wrong with it is a value, so that the journal has that, too. */
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
 * The key is read here, for each call, and goes into a header: it is in no request, so it is in no journal. Ask a
 * vault instead where keys change or every tenant has one.
 */
const createClient = (): StepwiseClient =>
  new StepwiseClient({
    baseUrl: process.env['STEPWISE_URL'] ?? 'http://127.0.0.1:8080',
    token: process.env['STEPWISE_TOKEN'],
    llmKey: process.env['STEPWISE_LLM_KEY'],
  });
