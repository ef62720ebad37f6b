import type { RecordedStep } from '../../../src/contract/recorded-step.js';
import type { Step } from '../../../src/contract/step.js';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import type { WatchEvent } from '../../../src/contract/watch.js';
import { blankStep } from '../../../src/conversation/blank-step.js';
import type { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { stepRequest } from '../../support/step-request.js';

export interface StepChanges {
  readonly request?: Partial<StepRequestInput>;
  readonly prompt?: RecordedStep['prompt'];
  readonly response?: Partial<Step>;
  readonly beganAt?: string;
}

/** Returns a recorded step that answered `Done.`, changed as given. */
export function recordedStep({ request, prompt, response, beganAt }: StepChanges = {}): RecordedStep {
  const sent = stepRequest(request ?? {});
  return {
    request: sent,
    prompt: prompt ?? { system: '', messages: [], native_tools: [], prompt_sha256: '' },
    completion_text: 'Final Answer: Done.',
    response: {
      ...blankStep,
      session_id: sent.session_id,
      status: 'direct_response_provided',
      iterations_remaining: 4,
      direct_response: 'Done.',
      error: null,
      ...response,
    },
    parser_version: '1',
    began_at: beganAt ?? '2026-01-01T10:00:00.000Z',
    duration_ms: 1_200,
  };
}

/** Returns a recorded step with the prompt that the service makes of the request. */
export async function renderedStep(
  client: StepwiseClient,
  { request, response, ...changes }: StepChanges,
): Promise<RecordedStep> {
  const preview = await client.preview(stepRequest(request ?? {}));
  const { context_report } = preview;
  return recordedStep({
    ...changes,
    ...(request && { request }),
    prompt: preview,
    response: { context_report, ...response },
  });
}

const at = (id: string, session_id: string | null) => ({ id, session_id, endpoint: 'react_step' }) as const;

export const began = (id: string, session: string | null = 's'): WatchEvent => ({
  type: 'step.began',
  ...at(id, session),
  model: 'm',
  began_at: '2026-01-01T10:00:00.000Z',
});

export const watched = (id: string, step = recordedStep(), session: string | null = 's'): WatchEvent => ({
  type: 'step.watched',
  ...at(id, session),
  step,
});

export const failed = (id: string, session: string | null = 's'): WatchEvent => ({
  type: 'step.failed',
  ...at(id, session),
  code: 'upstream_timeout',
  message: 'The provider did not answer before the deadline.',
  duration_ms: 50,
});

export const started = (limits: Partial<WatchEvent> = {}): WatchEvent =>
  ({ type: 'watch.started', kept: 0, limit_steps: 100, limit_bytes: 1_000, ...limits }) as WatchEvent;
