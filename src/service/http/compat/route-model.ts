import type { Logger } from 'pino';
import type { ModelDirectory, ResolvedModel } from '../../providers/create-model-directory.js';
import { looksSecret, type Secret } from '../../providers/secret.js';
import { RequestRefused } from '../failure/to-failure.js';

/** A model that a client named, with the upstream that serves it. */
export interface RoutedModel {
  readonly provider: string | undefined;
  readonly modelName: string;
  readonly model: ResolvedModel;
}

/**
 * Finds the model that a client names (rule: compatible-models): either as `upstream/name`, where the name may
 * contain slashes and colons, or as a bare name for which a built-in vendor is known.
 */
export function findModel(name: string, models: ModelDirectory): RoutedModel | undefined {
  const slash = name.indexOf('/');
  const provider = slash > 0 ? name.slice(0, slash) : undefined;
  const rest = name.slice(slash + 1);
  const named = provider && rest !== '' ? models.resolve({ provider, modelName: rest }) : undefined;
  if (named) return { provider, modelName: rest, model: named };
  const model = models.resolve({ provider: undefined, modelName: name });
  return model && { provider: undefined, modelName: name, model };
}

/**
 * Returns the model that a request names. If there is no such model, throws `RequestRefused`, whose message lists the
 * upstreams.
 */
export function routeModel(name: string, models: ModelDirectory): RoutedModel {
  const routed = findModel(name, models);
  if (routed) return routed;
  const names = models.list().upstreams.map((upstream) => upstream.name);
  const message = `name a model as upstream/name, with one of these upstreams: ${names.join(', ')}; GET /v1/models lists known models`;
  throw new RequestRefused('unsupported_model', [{ path: 'model', code: 'unknown_name', message }]);
}

/** Context window assumed for a model if neither the operator nor the model table states it. */
const UNKNOWN_WINDOW = 32_768;
const MAX_REMEMBERED = 1_000;

/** Context windows of models. Logs one warning for each model whose window is assumed. */
export class Windows {
  readonly #log: Pick<Logger, 'warn'>;
  readonly #warned = new Set<string>();

  constructor(log: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Returns the window of a model, or the default. A model's name is logged only if it cannot contain a secret. */
  of({ modelName, model }: RoutedModel, key: Secret | undefined): number {
    const { contextWindow } = model.profile;
    if (contextWindow !== null) return contextWindow;
    const secrets = [...(key ? [key] : []), ...model.secrets];
    const isHarmless =
      /^[\w.:/@-]{1,128}$/.test(modelName) &&
      !looksSecret(modelName) &&
      !secrets.some((secret) => secret.isHintedAtIn(modelName));
    if (isHarmless) this.#warn(model.providerName, modelName);
    return UNKNOWN_WINDOW;
  }

  #warn(upstream: string, model: string): void {
    const key = `${upstream}/${model}`;
    if (this.#warned.has(key) || this.#warned.size >= MAX_REMEMBERED) return;
    this.#warned.add(key);
    this.#log.warn(
      { upstream, model },
      `the context window of a model is unknown: ${UNKNOWN_WINDOW} tokens are assumed; set contextWindow in UPSTREAMS`,
    );
  }
}
