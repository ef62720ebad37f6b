const mostModels = 1_000;

/**
 * What providers have taught us in this process: which parameters a model refuses (SPEC §8). Holds names only,
 * at most 1,000 models; the one taught longest ago is forgotten first.
 */
export class LearnedParameters {
  readonly #refused = new Map<string, ReadonlySet<string>>();

  refusedBy(upstream: string, model: string): ReadonlySet<string> {
    return this.#refused.get(keyOf(upstream, model)) ?? new Set();
  }

  remember(upstream: string, model: string, parameter: string): void {
    const key = keyOf(upstream, model);
    const refused = new Set([...this.refusedBy(upstream, model), parameter]);
    this.#refused.delete(key);
    this.#refused.set(key, refused);
    const [oldest] = this.#refused.keys();
    if (this.#refused.size > mostModels && oldest !== undefined) this.#refused.delete(oldest);
  }
}

const keyOf = (upstream: string, model: string): string => JSON.stringify([upstream, model]);
