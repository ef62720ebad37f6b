import type { ModelList } from '../../contract/model-list.js';
import type { LlmConfig } from '../../contract/step-request.js';
import { onDemand } from '../../event-loop/on-demand.js';
import { createTokenCounter, type TokenCounter } from '../../tokens/token-counter.js';
import type { ModelProfile, Provider } from '../step/provider.js';
import { anthropicVendor } from './anthropic/provider.js';
import { type StructuredSetting, structuredOf } from './models/known-servers.js';
import { LearnedParameters } from './models/model-parameters.js';
import { compatibleModel, type ModelTraits } from './models/model-traits.js';
import { listedNames, traitsOf, type VendorName, vendorNames, vendors } from './models/models.js';
import { openaiVendor } from './openai/provider.js';
import { observeTogether, type RequestObserver } from './request-observer.js';
import type { Secret } from './secret.js';
import { type SharedState, UpstreamProvider } from './upstream/upstream-provider.js';

/** A server that speaks OpenAI's Chat Completions, as the operator configured it (rule: named-upstreams). */
interface UpstreamConfig {
  /** The part before `/chat/completions`, which usually ends in `/v1`. */
  readonly url: string;
  readonly keyRequired: boolean;
  /** In tokens. */
  readonly contextWindow?: number | undefined;
  readonly maxTokensParam?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** If given, the count is exact. */
  readonly encoding?: ModelProfile['encoding'] | undefined;
  /** How its output can be constrained; by default known from its address. */
  readonly structured?: StructuredSetting | undefined;
}

export interface ProvidersConfig {
  /** Ends in `/v1`. */
  readonly openaiUrl: string;
  /** Without `/v1`. */
  readonly anthropicUrl: string;
  readonly upstreams: Readonly<Record<string, UpstreamConfig>>;
  /** Starts the embedded model; resolves with its loopback URL, ending in `/v1`. Absent when it is off. */
  readonly startOffline?: () => Promise<string>;
  /** Observes all requests of this process. */
  readonly observe?: RequestObserver;
}

/** A model that can make a step. */
export interface ResolvedModel {
  readonly providerName: string;
  readonly keyRequired: boolean;
  readonly profile: ModelProfile;
  /** Returns a counter for the texts of one step; the signal ends the counting. Cheap. */
  tokenCounter(signal: AbortSignal): TokenCounter;
  /**
   * Returns a provider for one call; opens no connection. The key is not sent if the upstream needs none. `observe`
   * observes the requests made through this provider.
   */
  connect(key: Secret | undefined, observe?: RequestObserver): Provider;
}

/** All upstreams and models, and the connections to them; one for the whole process. */
export interface ModelDirectory {
  /** Undefined if neither `provider` nor the model's name decides for an upstream (rule: named-upstreams). */
  resolve(config: LlmConfig): ResolvedModel | undefined;
  list(): ModelList;
  /** Loads the transport, so that the first call need not wait for it. */
  warmUp(): Promise<void>;
  /** Breaks all connections. */
  close(): Promise<void>;
}

/** An endpoint that a request can name. */
interface Upstream {
  readonly name: string;
  readonly keyRequired: boolean;
  readonly url: (signal: AbortSignal) => Promise<string>;
  readonly vendor: typeof openaiVendor;
  traits(model: string): ModelTraits;
}

/** Throws if an upstream has the name of another. Reads no environment. */
export function createModelDirectory(config: ProvidersConfig): ModelDirectory {
  // undici is loaded with the first call, since a service should listen at once.
  const transport = onDemand(async () => new (await import('./upstream/transport.js')).Transport());
  const shared: SharedState = {
    transport: transport.get,
    learned: new LearnedParameters(),
    observe: config.observe,
  };
  const upstreams = byName([
    ...builtIn(config),
    ...Object.entries(config.upstreams).map(([name, upstream]) => compatible(name, upstream)),
  ]);
  return {
    resolve({ provider, modelName }) {
      const upstream = upstreams.get(provider ?? routeOf(modelName) ?? '');
      return upstream && resolved(upstream, modelName, shared);
    },
    list: () => ({
      models: vendorNames.filter((name) => upstreams.has(name)).flatMap(listModels),
      upstreams: [...upstreams.values()].map(({ name, keyRequired }) => ({
        name,
        key_required: keyRequired,
      })),
    }),
    warmUp: async () => void (await transport.get()),
    close: async () => (await transport.made())?.close(),
  };
}

function byName(upstreams: readonly Upstream[]): ReadonlyMap<string, Upstream> {
  const named = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  if (named.size < upstreams.length) throw new Error(`These names are taken: ${vendorNames.join(', ')}.`);
  return named;
}

function resolved(upstream: Upstream, model: string, shared: SharedState): ResolvedModel {
  const { name, keyRequired, url } = upstream;
  const traits = upstream.traits(model);
  return {
    providerName: name,
    keyRequired,
    profile: traits,
    tokenCounter: (signal) => createTokenCounter(traits.encoding, { margin: traits.countMargin, signal }),
    connect: (callersKey, observe) => {
      const key = keyRequired ? callersKey : undefined;
      const vendor = upstream.vendor(key, traits);
      return new UpstreamProvider(
        { name, vendor, url, key },
        { ...shared, observe: observeTogether(shared.observe, observe) },
      );
    },
  };
}

function builtIn({ openaiUrl, anthropicUrl, startOffline }: ProvidersConfig): Upstream[] {
  const openai = listed('openai', { url: async () => openaiUrl, vendor: openaiVendor, keyRequired: true });
  const anthropic = listed('anthropic', {
    url: async () => anthropicUrl,
    vendor: anthropicVendor,
    keyRequired: true,
  });
  if (!startOffline) return [openai, anthropic];
  const url = onDemand(startOffline).get;
  return [openai, anthropic, listed('offline', { url, vendor: openaiVendor, keyRequired: false })];
}

/** An upstream whose models are in the model table. */
const listed = (name: VendorName, upstream: Omit<Upstream, 'name' | 'traits'>): Upstream => ({
  ...upstream,
  name,
  traits: (model) => traitsOf(name, model),
});

function compatible(name: string, config: UpstreamConfig): Upstream {
  const { url, keyRequired, contextWindow = null, encoding, maxTokensParam, structured } = config;
  const traits: ModelTraits = {
    ...compatibleModel,
    contextWindow,
    structured: structuredOf(url, structured),
    ...(encoding && { encoding, countMargin: 1 }),
    ...(maxTokensParam && { maxTokensParam }),
  };
  return { name, keyRequired, url: async () => url, vendor: openaiVendor, traits: () => traits };
}

const routeOf = (model: string): VendorName | undefined =>
  vendorNames.find((name) => vendors[name].route.test(model));

function listModels(provider: VendorName): ModelList['models'] {
  return listedNames(provider).map((name) => {
    const { contextWindow, encoding, countMargin, nativeTools } = traitsOf(provider, name);
    return {
      name,
      provider,
      context_window: contextWindow,
      encoding,
      counting: countMargin === 1 ? 'exact' : 'estimated',
      protocols: nativeTools === 'none' ? ['text', 'xml', 'json'] : ['text', 'xml', 'json', 'native'],
    };
  });
}
