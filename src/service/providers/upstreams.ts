import type { Protocol } from '../../contract/protocol.js';
import { onDemand } from '../../event-loop/on-demand.js';
import type { ModelProfile, WireName } from '../step/provider.js';
import type { GatewaySettings } from './gateway-settings.js';
import { type StructuredSetting, structuredOf } from './models/known-servers.js';
import { anthropicModel, compatibleModel, type ModelTraits } from './models/model-traits.js';
import { familyOf, listedNames, traitsOf, type VendorName, vendorNames } from './models/models.js';

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

/** The upstreams that an operator configured. */
export interface UpstreamsConfig {
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
}

/** An upstream that a request can name. */
export interface Upstream {
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

/** Returns all upstreams by name. Throws if a configured one has the name of a built-in one. */
export function upstreamsIn(config: UpstreamsConfig): ReadonlyMap<string, Upstream> {
  const builtIn = builtInUpstreams(config);
  const configured = Object.entries(config.upstreams).map(([name, each]) => configuredUpstream(name, each));
  const named = new Map([...builtIn, ...configured].map((upstream) => [upstream.name, upstream]));
  if (named.size < builtIn.length + configured.length)
    throw new Error(`An upstream may not use a built-in name: ${vendorNames.join(', ')}.`);
  return named;
}

/** Returns the built-in upstreams, whose models are in the model table. */
function builtInUpstreams({
  openaiUrl,
  anthropicUrl,
  gateways = {},
  startOffline,
}: UpstreamsConfig): Upstream[] {
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
