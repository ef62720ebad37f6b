import type { Warning } from '../../../contract/step.js';

/** A parameter that the caller asked for: its name in our contract, and on the wire. */
export interface WantedParameter {
  readonly name: string;
  readonly wire: string;
  readonly value: unknown;
  /** Whether the model table says that the model takes this value. */
  readonly taken: boolean;
  /** The reason why it is not taken; by default that the model does not take it. */
  readonly because?: string;
}

/** Returns the parameters that can be sent, and a warning for each of the others (rule: model-table). */
export function chooseParameters(wanted: readonly WantedParameter[], refused: ReadonlySet<string>) {
  const asked = wanted.filter(({ value }) => value !== undefined);
  const isSent = ({ taken, wire }: WantedParameter) => taken && !refused.has(wire);
  return {
    sent: Object.fromEntries(asked.filter(isSent).map(({ wire, value }) => [wire, value])),
    warnings: asked.filter((parameter) => !isSent(parameter)).map(dropped),
  };
}

const dropped = ({ name, because = 'this model does not take it' }: WantedParameter): Warning => ({
  code: 'parameter_dropped',
  message: `${name} was not sent: ${because}.`,
});

const MAX_MODELS = 1_000;
/** Maximum number of names for one model: the schemas that it refused are among them. */
const MAX_PARAMETERS = 100;

/**
 * The parameters that models are known to refuse in this process (rule: learned-parameters). Holds names and digests only,
 * of at most 1,000 models; the oldest is forgotten first.
 */
export class LearnedParameters {
  readonly #refused = new Map<string, ReadonlySet<string>>();

  refusedBy(upstream: string, model: string): ReadonlySet<string> {
    return this.#refused.get(keyOf(upstream, model)) ?? nothing;
  }

  remember(upstream: string, model: string, parameter: string): void {
    const key = keyOf(upstream, model);
    const refused = new Set([...[...this.refusedBy(upstream, model)].slice(1 - MAX_PARAMETERS), parameter]);
    this.#refused.delete(key);
    this.#refused.set(key, refused);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > MAX_MODELS && oldest !== undefined) this.#refused.delete(oldest);
  }
}

const nothing: ReadonlySet<string> = new Set();

/** No name of an upstream holds a slash. */
const keyOf = (upstream: string, model: string): string => `${upstream}/${model}`;
