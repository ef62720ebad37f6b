import type { ModelList } from '../../contract/model-list.js';
import type { Protocol } from '../../contract/protocol.js';
import type { LlmConfig } from '../../contract/step-request.js';
import { onDemand } from '../../event-loop/on-demand.js';
import type { ProxyFor } from '../../network/proxies/proxies.js';
import { createTokenCounter, type TokenCounter } from '../../tokens/token-counter.js';
import type { ModelProfile, Provider, WireName } from '../step/provider.js';
import { anthropicVendor } from './anthropic/provider.js';
import { type GatewaySettings, secretsIn } from './gateway-settings.js';
import { type StructuredSetting, structuredOf } from './models/known-servers.js';
import { familyOf } from './models/model-family.js';
import { LearnedParameters } from './models/model-parameters.js';
import { anthropicModel, compatibleModel, type ModelTraits } from './models/model-traits.js';
import { listedNames, traitsOf, type VendorName, vendorNames, vendors } from './models/models.js';
import { openaiVendor, responsesVendor } from './openai/provider.js';
import { observeTogether, type RequestObserver } from './request-observer.js';
import type { Secret } from './secret.js';
import { ListedModels } from './upstream/listed-models.js';
import { type SharedState, UpstreamProvider } from './upstream/upstream-provider.js';
import type { Vendor } from './vendor.js';

/** Settings of one model of an upstream, or of all its models without settings of their own (rule: model-settings). */
interface OwnSettings {
  /** Size of the context window in tokens. */
  readonly contextWindow?: number | undefined;
  /** Protocol that the compatible endpoints use to let the model call tools. */
  readonly protocol?: Protocol | undefined;
}

/** A server as the operator configured it (rule: named-upstreams). */
interface UpstreamConfig extends GatewaySettings, OwnSettings {
  /** Base URL of the endpoints. For most servers, but not for the wire `messages`, it ends in `/v1`. */
  readonly url: string;
  /** API of the server; by default `chat`. */
  readonly wire?: WireName | undefined;
  readonly keyRequired: boolean;
  /** Settings by the exact name of a model. */
  readonly models?: Readonly<Record<string, OwnSettings>> | undefined;
  readonly maxTokensParam?: 'max_tokens' | 'max_completion_tokens' | undefined;
  /** The model's own text encoding. If given, token counts are exact. */
  readonly encoding?: ModelProfile['encoding'] | undefined;
  /** How the server can constrain output; by default determined from its address. */
  readonly structured?: StructuredSetting | undefined;
  /** Whether the models of the server can see images; assumed by default. */
  readonly vision?: boolean | undefined;
}

export interface ProvidersConfig {
  /** URL of OpenAI's API; ends in `/v1`. */
  readonly openaiUrl: string;
  /** URL of Anthropic's API, without `/v1`. */
  readonly anthropicUrl: string;
  /** Settings for gateways between this service and the built-in vendors. */
  readonly gateways?: Readonly<Partial<Record<'openai' | 'anthropic', GatewaySettings>>>;
  readonly upstreams: Readonly<Record<string, UpstreamConfig>>;
  /**
   * Starts the embedded model. Resolves with its loopback URL, which ends in `/v1`. Absent if the model is
   * disabled.
   */
  readonly startOffline?: () => Promise<string>;
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

/** An upstream that a request can name. */
interface Upstream {
  readonly name: string;
  readonly keyRequired: boolean;
  readonly url: (signal: AbortSignal) => Promise<string>;
  readonly gateway: GatewaySettings;
  traits(model: string): ModelTraits;
  /** Names of the models to list: those of the model table, or those that the operator configured. */
  readonly modelNames: readonly string[];
  /** Protocol that the operator chose for a model. */
  readonly protocolOf?: (model: string) => Protocol | undefined;
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
  const upstreams = byName([
    ...builtInUpstreams(config),
    ...Object.entries(config.upstreams).map(([name, upstream]) => configuredUpstream(name, upstream)),
  ]);
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

function byName(upstreams: readonly Upstream[]): ReadonlyMap<string, Upstream> {
  const named = new Map(upstreams.map((upstream) => [upstream.name, upstream]));
  if (named.size < upstreams.length)
    throw new Error(`An upstream may not use a built-in name: ${vendorNames.join(', ')}.`);
  return named;
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

/** Returns the built-in upstreams, whose models are in the model table. */
function builtInUpstreams({ openaiUrl, anthropicUrl, gateways = {}, startOffline }: ProvidersConfig) {
  const builtIn = (name: VendorName, rest: Pick<Upstream, 'url' | 'gateway' | 'keyRequired'>): Upstream => ({
    ...rest,
    name,
    modelNames: listedNames(name),
    traits: (model) => traitsOf(name, model),
  });
  const { openai = {}, anthropic = {} } = gateways;
  const upstreams = [
    builtIn('openai', { url: async () => openaiUrl, gateway: openai, keyRequired: true }),
    builtIn('anthropic', { url: async () => anthropicUrl, gateway: anthropic, keyRequired: true }),
  ];
  if (!startOffline) return upstreams;
  const url = onDemand(startOffline).get;
  return [...upstreams, builtIn('offline', { url, gateway: {}, keyRequired: false })];
}

function configuredUpstream(name: string, config: UpstreamConfig): Upstream {
  const { url, keyRequired, encoding, maxTokensParam, models = {} } = config;
  const traits = (model: string): ModelTraits => {
    const contextWindow = ownSetting('contextWindow', model, config);
    const defaults = wireTraits(model, config);
    return {
      ...defaults,
      ...(contextWindow !== undefined && { contextWindow }),
      ...(encoding && { encoding, countMargin: 1 }),
      ...(maxTokensParam && { maxTokensParam }),
      vision: visionTrait(config.vision, defaults.vision),
    };
  };
  const protocolOf = (model: string) => ownSetting('protocol', model, config);
  const modelNames = Object.keys(models);
  return { name, keyRequired, url: async () => url, gateway: config, traits, modelNames, protocolOf };
}

/** Returns the setting of a model, or that of its upstream if the model has none. */
function ownSetting<Name extends keyof OwnSettings>(
  setting: Name,
  model: string,
  { models = {}, ...upstream }: UpstreamConfig,
): OwnSettings[Name] {
  const own = Object.hasOwn(models, model) ? models[model] : undefined;
  return own?.[setting] ?? upstream[setting];
}

/**
 * Returns how the model counts images; `none` if the configuration states that it cannot see. If only the model table
 * states that, but the configuration states the opposite, returns undefined: the model then gets images, whose tokens
 * are unknown.
 */
function visionTrait(vision: boolean | undefined, known: ModelProfile['vision']): ModelProfile['vision'] {
  if (vision === false) return 'none';
  return vision && known === 'none' ? undefined : known;
}

/**
 * Returns the default traits of a model from the API (wire) of its upstream. With the wire `messages`, a Claude model
 * keeps its traits from the model table even behind a gateway.
 */
function wireTraits(model: string, { url, wire = 'chat', structured }: UpstreamConfig): ModelTraits {
  if (wire !== 'messages') return { ...compatibleModel, wire, structured: structuredOf(url, structured) };
  if (familyOf(model) === 'claude') return traitsOf('anthropic', model.slice(model.lastIndexOf('claude')));
  const schema = structured === 'json_schema' ? anthropicModel.structured : 'none';
  const { framing, maxTokensParam } = anthropicModel;
  return { ...compatibleModel, wire, framing, maxTokensParam, seed: false, structured: schema };
}

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
