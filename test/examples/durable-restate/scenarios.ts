import type { Respond } from '../../../src/offline/answer-request.js';
import type { RecordedRequest } from '../../../src/offline/wire/reply.js';

/** A kind of run: the model's replies, the person's reply to the waiting call, and the result. */
interface Scenario {
  readonly actions: readonly string[];
  readonly reply?: Readonly<Record<string, unknown>>;
  /** Text of an observation that the last prompt contains if no step was lost. */
  readonly fact: string;
}

const scenarios: readonly Scenario[] = [
  {
    actions: ['search_orders(query="Ada")', 'refund_order(id="A-17")'],
    reply: { type: 'allow' },
    fact: 'Order A-17 is paid back: 42.5.',
  },
  {
    actions: ['open_order(path="orders/B-20")', 'search_orders(query="Ada")'],
    reply: { type: 'edit', arguments: { path: 'orders/A-17' } },
    fact: '12 Hill Road',
  },
  {
    actions: ['search_orders(query="Bo")', 'search_orders(query="Ada")', 'search_orders(query="shipped")'],
    fact: 'waiting for payment',
  },
  {
    actions: ['request_input(question="Which order?")', 'search_orders(query="Bo")'],
    reply: { type: 'answer', text: 'The one that Bo made.' },
    fact: 'The one that Bo made.',
  },
  {
    // The first action is malformed; the model corrects it.
    actions: ['refund_order(id="A-17', 'refund_order(id="A-17")', 'search_orders(query="Ada")'],
    reply: { type: 'deny', reason: 'Not this month.' },
    fact: 'Not this month.',
  },
];

export interface TrialRun extends Scenario {
  readonly name: string;
}

export const trialRuns = (count: number): TrialRun[] =>
  scenarios
    .flatMap((scenario) => Array.from({ length: count / scenarios.length }, () => scenario))
    .map((scenario, number) => ({ ...scenario, name: `trial-${number}` }));

/** Counts the steps of a run: one per action, plus the answer. */
export const stepsOf = ({ actions }: TrialRun): number => actions.length + 1;

export const answerOf = ({ name, fact }: TrialRun): string => `${name}: ${fact}`;

/** A model call with the run and step it belongs to. */
export interface ModelCall {
  readonly request: RecordedRequest;
  readonly run: string;
  /** Name in the journal, such as `step 2`. */
  readonly step: string;
}

/** Model for all runs: plays each run's scenario and records every call. */
export class ScriptedModel {
  readonly calls: ModelCall[] = [];
  readonly #runs: ReadonlyMap<string, TrialRun>;
  readonly #prompts = new Map<string, string[]>();

  constructor(runs: readonly TrialRun[]) {
    this.#runs = new Map(runs.map((run) => [run.name, run]));
  }

  readonly respond: Respond = (request) => {
    const run = this.#runs.get(/trial-\d+/.exec(request.rawBody)?.[0] ?? '');
    if (!run) throw new Error('A call for no run.');
    const index = this.#indexOf(run, request.rawBody);
    this.calls.push({ request, run: run.name, step: `step ${index + 1}` });
    const action = run.actions[index];
    const found = request.rawBody.includes(run.fact) ? run.fact : 'something was lost';
    // Delays each reply by 0.3 to 1.3 seconds, so that calls are always in flight.
    const delayMs = 300 + ((this.calls.length * 137) % 1_000);
    return { text: action ? `Action: ${action}` : `Final Answer: ${run.name}: ${found}`, delayMs };
  };

  /** Recognizes a repeated step by its prompt, which is the same byte for byte. */
  #indexOf({ name }: TrialRun, prompt: string): number {
    const prompts = this.#prompts.get(name) ?? [];
    this.#prompts.set(name, prompts);
    if (!prompts.includes(prompt)) prompts.push(prompt);
    return prompts.indexOf(prompt);
  }
}
