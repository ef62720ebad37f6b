import type { ModelList } from '../../contract/model-list.js';
import type { Protocol } from '../../contract/protocol.js';
import type { LlmConfig } from '../../contract/step-request.js';
import { onDemand } from '../../event-loop/on-demand.js';
import type { ProxyFor } from '../../network/proxies/proxies.js';
import { createTokenCounter, type TokenCounter } from '../../tokens/token-counter.js';
import type { ModelProfile, Provider, WireName } from '../step/provider.js';
import { anthropicVendor } from './anthropic/provider.js';
import { secretsIn } from './gateway-settings.js';
import { LearnedParameters } from './models/model-parameters.js';
import type { ModelTraits } from './models/model-traits.js';
import { familyOf, type VendorName, vendorNames, vendors } from './models/models.js';
import { openaiVendor, responsesVendor } from './openai/provider.js';
import { observeTogether, type RequestObserver } from './request-observer.js';
import type { Secret } from './secret.js';
import { ListedModels } from './upstream/listed-models.js';
import { type SharedState, UpstreamProvider } from './upstream/upstream-provider.js';
import { type Upstream, type UpstreamsConfig, upstreamsIn } from './upstreams.js';
import type { Vendor } from './vendor.js';

export interface ProvidersConfig extends UpstreamsConfig {
  /** Chooses the proxy for an upstream; by default none. */
  readonly proxyFor?: ProxyFor;
  /** Observes all provider requests of this process. */
  readonly observe?: RequestObserver;
}

/** A model that is ready for a step. */
export interface ResolvedModel {
  readonly providerName: string;
  readonly keyRequired: boolean;
  readonly profile: ModelProfile;
  /** Secret values of the gateway, which logs and traces must not contain. */
  readonly secrets: readonly Secret[];
  /** Returns a counter for the texts of one step. The signal aborts counting. */
  tokenCounter(signal: AbortSignal): TokenCounter;
  /**
   * Returns a provider for one call, without opening a connection. The key is not sent if the upstream needs none.
   * `observe` observes the requests made through this provider.
   */
  connect(key: Secret | undefined, observe?: RequestObserver): Provider;
}

/** Settings of a model, for callers whose requests do not set them (rule: model-settings). */
interface ModelSettings {
  /** Maximum tokens of prompt and reply together; null if neither the operator nor the model table states it. */
  readonly contextWindow: number | null;
  readonly protocol: Protocol;
}

/** The models that an upstream lists. */
interface UpstreamModels {
  readonly upstream: string;
  readonly names: readonly string[] | undefined;
}

/** All upstreams and models, and the connections to them. One per process. */
export interface ModelDirectory {
  /** Returns undefined if neither `provider` nor the model's name determines an upstream (rule: named-upstreams). */
  resolve(config: Pick<LlmConfig, 'provider' | 'modelName'>): ResolvedModel | undefined;
  /**
   * Returns the settings of a model. If `upstream` is undefined, the model's name determines the upstream. Returns
   * undefined if `resolve` does.
   */
  settingsOf(upstream: string | undefined, model: string): ModelSettings | undefined;
  list(): ModelList;
  /**
   * Returns the models that upstreams without keys list themselves. `names` is undefined for an upstream that
   * provides no list.
   */
  listUpstreams(): Promise<readonly UpstreamModels[]>;
  /** Loads the transport, so that the first call does not wait for it. */
  warmUp(): Promise<void>;
  /** Closes all connections. */
  close(): Promise<void>;
}

/** Creates the directory of models. Throws if two upstreams have the same name. Reads no environment variables. */
export function createModelDirectory(config: ProvidersConfig): ModelDirectory {
  // undici is loaded with the first call, so that the service listens sooner.
  const transport = onDemand(
    async () => new (await import('./upstream/transport.js')).Transport(config.proxyFor),
  );
  const shared: SharedState = {
    transport: transport.get,
    learned: new LearnedParameters(),
    observe: config.observe,
  };
  const upstreams = upstreamsIn(config);
  const lists = Object.entries(config.upstreams).flatMap(
    ([name, { url, wire = 'chat', keyRequired, ...gateway }]) =>
      keyRequired ? [] : [{ name, models: new ListedModels({ name, url, wire, gateway }, transport.get) }],
  );
  const find = (provider: string | undefined, model: string) =>
    upstreams.get(provider ?? routeOf(model) ?? '');
  return {
    resolve({ provider, modelName }) {
      const upstream = find(provider, modelName);
      return upstream && resolved(upstream, modelName, shared);
    },
    settingsOf(provider, model) {
      const upstream = find(provider, model);
      if (!upstream) return undefined;
      const { contextWindow } = upstream.traits(model);
      return { contextWindow, protocol: upstream.protocolOf?.(model) ?? 'auto' };
    },
    list: () => ({
      models: [...upstreams.values()].flatMap(listModels),
      upstreams: [...upstreams.values()].map(({ name, keyRequired }) => ({
        name,
        key_required: keyRequired,
      })),
    }),
    listUpstreams: () =>
      Promise.all(lists.map(async ({ name, models }) => ({ upstream: name, names: await models.names() }))),
    warmUp: async () => void (await transport.get()),
    close: async () => (await transport.made())?.close(),
  };
}

function resolved(upstream: Upstream, model: string, shared: SharedState): ResolvedModel {
  const { name, keyRequired, url, gateway } = upstream;
  const traits = upstream.traits(model);
  const origin = { provider: name, wire: traits.wire, family: familyOf(model) };
  return {
    providerName: name,
    keyRequired,
    profile: { ...traits, stateOrigin: origin },
    secrets: secretsIn(gateway),
    tokenCounter: (signal) => createTokenCounter(traits.encoding, { margin: traits.countMargin, signal }),
    connect: (callersKey, observe) => {
      const key = keyRequired ? callersKey : undefined;
      const vendor = adapters[traits.wire](traits);
      return new UpstreamProvider(
        { name, vendor, url, key, gateway, origin },
        { ...shared, observe: observeTogether(shared.observe, observe) },
      );
    },
  };
}

const adapters = {
  chat: openaiVendor,
  responses: responsesVendor,
  messages: anthropicVendor,
} as const satisfies Record<WireName, (traits: ModelTraits) => Vendor>;

const routeOf = (model: string): VendorName | undefined =>
  vendorNames.find((name) => vendors[name].route.test(model));

function listModels({ name: provider, modelNames, traits }: Upstream): ModelList['models'] {
  return modelNames.map((name) => {
    const { contextWindow, encoding, countMargin, nativeTools } = traits(name);
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
