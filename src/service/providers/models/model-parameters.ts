import type { Warning } from '../../../contract/step.js';

/** A model parameter that the caller requested: its name in our contract, and its name in the vendor's API. */
export interface WantedParameter {
  readonly name: string;
  readonly wire: string;
  readonly value: unknown;
  /** True if the model supports the requested value, according to the model table. */
  readonly isSupported: boolean;
  /** Reason given to the caller if the parameter is not sent; by default, that the model does not support it. */
  readonly reason?: string;
}

/** Returns the parameters to send, and a warning for each of the others (rule: model-table). */
export function chooseParameters(wanted: readonly WantedParameter[], refused: ReadonlySet<string>) {
  const asked = wanted.filter(({ value }) => value !== undefined);
  const isSent = ({ isSupported, wire }: WantedParameter) => isSupported && !refused.has(wire);
  return {
    sent: Object.fromEntries(asked.filter(isSent).map(({ wire, value }) => [wire, value])),
    warnings: asked.filter((parameter) => !isSent(parameter)).map(dropped),
  };
}

const dropped = ({ name, reason = 'the model does not support it' }: WantedParameter): Warning => ({
  code: 'parameter_dropped',
  message: `${name} was not sent: ${reason}.`,
});

const MAX_MODELS = 1_000;
/** Maximum number of refused names stored per model, including names of refused schemas. */
const MAX_PARAMETERS = 100;

/**
 * Cache of the parameters that models refused in this process (rule: learned-parameters). It stores only names and
 * digests, for at most 1,000 models, and removes the oldest entry first.
 */
export class LearnedParameters {
  readonly #refused = new Map<string, ReadonlySet<string>>();

  refusedBy(upstream: string, model: string): ReadonlySet<string> {
    return this.#refused.get(keyOf(upstream, model)) ?? noParameters;
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

const noParameters: ReadonlySet<string> = new Set();

/** Returns the cache key of a model. The key is unique, because names of upstreams contain no slash. */
const keyOf = (upstream: string, model: string): string => `${upstream}/${model}`;
