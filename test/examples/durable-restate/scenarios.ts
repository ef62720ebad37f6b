import type { Respond } from '../../../src/offline/answer-request.js';
import type { RecordedRequest } from '../../../src/offline/wire/reply.js';

/** A kind of run: what the model says at each step, what a person says to the call that waits, what it comes to. */
interface Scenario {
  readonly actions: readonly string[];
  readonly reply?: Readonly<Record<string, unknown>>;
  /** Stands in an observation, and so in the last prompt, if nothing of the run was lost. */
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
    // The first cannot be read, and is corrected.
    actions: ['refund_order(id="A-17', 'refund_order(id="A-17")', 'search_orders(query="Ada")'],
    reply: { type: 'deny', reason: 'Not this month.' },
    fact: 'Not this month.',
  },
];

/** One of the trial's runs. */
export interface TrialRun extends Scenario {
  readonly name: string;
}

export const trialRuns = (count: number): TrialRun[] =>
  scenarios
    .flatMap((scenario) => Array.from({ length: count / scenarios.length }, () => scenario))
    .map((scenario, number) => ({ ...scenario, name: `trial-${number}` }));

/** Steps of the run: each action is one, and the answer. */
export const stepsOf = ({ actions }: TrialRun): number => actions.length + 1;

export const answerOf = ({ name, fact }: TrialRun): string => `${name}: ${fact}`;

/** A call of the model, and which step of which run it was made for. */
export interface ModelCall {
  readonly request: RecordedRequest;
  readonly run: string;
  /** As the journal names it: `step 2`. */
  readonly step: string;
}

/** The model of all runs: plays each run's scenario, and keeps account of who called when and for what. */
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
    // Between 0.3 and 1.3 seconds, as a model takes: something is always on its way.
    const delayMs = 300 + ((this.calls.length * 137) % 1_000);
    return { text: action ? `Action: ${action}` : `Final Answer: ${run.name}: ${found}`, delayMs };
  };

  /** A prompt that was there before is the same step again: prompts are the same bytes, whoever asks. */
  #indexOf({ name }: TrialRun, prompt: string): number {
    const prompts = this.#prompts.get(name) ?? [];
    this.#prompts.set(name, prompts);
    if (!prompts.includes(prompt)) prompts.push(prompt);
    return prompts.indexOf(prompt);
  }
}
