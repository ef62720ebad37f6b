import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { assertIsComponent } from './contract-check.js';
import { readEvents, type SentEvent } from './read-events.js';
import { stepRequest, type WholeService } from './whole-service.js';

export interface StreamedStep {
  readonly events: readonly SentEvent[];
  /** The step in the event `step.completed`, checked against the contract. */
  readonly step: Step;
  /** Returns all deltas of a kind, joined. */
  joined(kind: 'reasoning' | 'draft' | 'thought' | 'answer'): string;
}

/** Requests a streamed step. Throws if the stream does not end with exactly one `step.completed`. */
export async function streamStep(
  { url }: WholeService,
  changes: Partial<StepRequestInput> = {},
): Promise<StreamedStep> {
  const response = await fetch(`${url}/api/agent/react_step/stream`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(stepRequest(changes)),
  });
  const events = readEvents(await response.text());
  for (const { data } of events) assertIsComponent('StreamEvent', data);
  const ends = events.filter(({ event }) => event === 'step.completed' || event === 'error');
  const [end] = ends;
  if (ends.length !== 1 || end?.event !== 'step.completed' || end !== events.at(-1)) {
    throw new Error(`The stream ended with ${JSON.stringify(ends)}.`);
  }
  assertIsComponent('Step', end.data.step);
  return {
    events,
    step: end.data.step,
    joined: (kind) =>
      events
        .filter(({ event }) => event === `${kind}.delta`)
        .map(({ data }) => data.delta)
        .join(''),
  };
}
