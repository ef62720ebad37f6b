import type { ModelList } from '../../contract/model-list.js';
import type { LlmConfig } from '../../contract/step-request.js';
import { onDemand } from '../../event-loop/on-demand.js';
import { createTokenCounter, type TokenCounter } from '../../tokens/token-counter.js';
import type { ModelProfile, Provider } from '../step/provider.js';
import { anthropicClient, anthropicVendor } from './anthropic/provider.js';
import { type StructuredSetting, structuredOf } from './models/known-servers.js';
import { LearnedParameters } from './models/model-parameters.js';
import { compatibleModel, type ModelTraits } from './models/model-traits.js';
import { listedNames, traitsOf, type VendorName, vendorNames, vendors } from './models/models.js';
import { openaiClient, openaiVendor } from './openai/provider.js';
import { observeTogether, type RequestObserver } from './request-observer.js';
import type { Secret } from './secret.js';
import { type SharedState, UpstreamProvider } from './upstream/upstream-provider.js';
import type { Vendor } from './vendor.js';

/** A server that speaks OpenAI's Chat Completions, as the operator configured it (rule: named-upstreams). */
interface UpstreamConfig {
  /** Ends in `/v1`, or whatever stands before `/chat/completions`. */
  readonly url: string;
  readonly keyRequired: boolean;
  /** Tokens. */
  readonly contextWindow?: number | undefined;
  readonly maxTokensParam?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** Given, the count is taken for exact. */
  readonly encoding?: ModelProfile['encoding'] | undefined;
  /** How its output can be constrained; by default what is known of servers of this name or address. */
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
  /** Told of all requests of this process. */
  readonly observe?: RequestObserver;
}

/** A model a step can be made with. */
export interface ResolvedModel {
  readonly providerName: string;
  readonly keyRequired: boolean;
  readonly profile: ModelProfile;
  /** Counts the texts of one step for this model; the signal ends the counting. Cheap. */
  tokenCounter(signal: AbortSignal): TokenCounter;
  /**
   * Costs nothing and opens no connection. The key is not sent if the upstream needs none. The observer is told of the
   * requests made through this provider.
   */
  connect(key: Secret | undefined, observe?: RequestObserver): Provider;
}

/** All upstreams and models, and the connections to them: one for the whole process. */
export interface ModelDirectory {
  /** Undefined if neither `provider` nor the model's name says who is to be asked (rule: named-upstreams). */
  resolve(config: LlmConfig): ResolvedModel | undefined;
  list(): ModelList;
  /** Loads what every call needs, so that the first one need not wait for it. */
  warmUp(): Promise<void>;
  /** Breaks what is open. */
  close(): Promise<void>;
}

/** One endpoint a request can name. */
interface Upstream {
  readonly name: string;
  readonly keyRequired: boolean;
  traits(model: string): ModelTraits;
  vendor(traits: ModelTraits, key: Secret | undefined): Vendor;
}

/** Throws where an upstream is given the name of another. Reads no environment. */
export function createModelDirectory(config: ProvidersConfig): ModelDirectory {
  const transport = onDemand(async () => new (await import('./upstream/transport.js')).Transport());
  const shared: SharedState = {
    transport: transport.get,
    learned: new LearnedParameters(),
    observe: config.observe,
  };
  const upstreams = byName([
    openai(config),
    anthropic(config),
    ...offline(config),
    ...Object.entries(config.upstreams).map(compatible),
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
  const { name, keyRequired } = upstream;
  const traits = upstream.traits(model);
  return {
    providerName: name,
    keyRequired,
    profile: traits,
    tokenCounter: (signal) => createTokenCounter(traits.encoding, { margin: traits.countMargin, signal }),
    connect: (key, observe) =>
      new UpstreamProvider(name, upstream.vendor(traits, keyRequired ? key : undefined), {
        transport: shared.transport,
        learned: shared.learned,
        observe: observeTogether(shared.observe, observe),
      }),
  };
}

function openai({ openaiUrl }: ProvidersConfig): Upstream {
  const client = openaiClient(openaiUrl);
  return {
    name: 'openai',
    keyRequired: true,
    traits: (model) => traitsOf('openai', model),
    vendor: (traits, key) => openaiVendor({ name: 'openai', client, key, traits }),
  };
}

function anthropic({ anthropicUrl }: ProvidersConfig): Upstream {
  const client = anthropicClient(anthropicUrl);
  return {
    name: 'anthropic',
    keyRequired: true,
    traits: (model) => traitsOf('anthropic', model),
    vendor: (traits, key) => anthropicVendor({ name: 'anthropic', client, key, traits }),
  };
}

function offline({ startOffline }: ProvidersConfig): Upstream[] {
  if (!startOffline) return [];
  const client = openaiClient(startOffline);
  const upstream: Upstream = {
    name: 'offline',
    keyRequired: false,
    traits: (model) => traitsOf('offline', model),
    vendor: (traits, key) => openaiVendor({ name: 'offline', client, key, traits }),
  };
  return [upstream];
}

function compatible([name, config]: [string, UpstreamConfig]): Upstream {
  const { url, keyRequired, contextWindow = null, encoding, maxTokensParam, structured } = config;
  const traits: ModelTraits = {
    ...compatibleModel,
    contextWindow,
    structured: structuredOf(name, url, structured),
    ...(encoding && { encoding, countMargin: 1 }),
    ...(maxTokensParam && { maxTokensParam }),
  };
  const client = openaiClient(url);
  return {
    name,
    keyRequired,
    traits: () => traits,
    vendor: (_, key) => openaiVendor({ name, client, key, traits }),
  };
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
