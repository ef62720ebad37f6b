/**
 * Settings by environment variable name. Each value is a text or the plain value that the text stands for. All are
 * optional.
 */
export interface Settings {
  /** IP address or host name to listen on. Default 127.0.0.1. Any other than loopback needs tokens, or `ALLOW_UNAUTHENTICATED`. */
  readonly HOST?: string | undefined;
  /** Port to listen on; 0 picks a free port. Default 8080. */
  readonly PORT?: number | string | undefined;
  /** Minimum level of the log lines. Default `info`. */
  readonly LOG_LEVEL?: 'debug' | 'info' | 'warn' | 'error' | 'silent' | undefined;
  /** Base URL of OpenAI's API, with `/v1`. Default https://api.openai.com/v1. */
  readonly OPENAI_UPSTREAM_URL?: string | undefined;
  /** Base URL of Anthropic's API, without `/v1`, as Anthropic's SDK expects it. Default https://api.anthropic.com. */
  readonly ANTHROPIC_UPSTREAM_URL?: string | undefined;
  /**
   * Other servers by name: a URL, or an object such as `{ url, wire, keyRequired, contextWindow, models }` (rule: named-upstreams).
   * As text, JSON. Callers must send a key for an https server, unless its `keyRequired` is false. Default: none.
   */
  readonly UPSTREAMS?: string | Readonly<Record<string, unknown>> | undefined;
  /** `off` removes the embedded model `offline`. Default `on`. */
  readonly OFFLINE_MODEL?: 'on' | 'off' | undefined;
  /** Paths of project folders by project id, a UUID. As text, JSON. Default: none. */
  readonly PROJECTS?: string | Readonly<Record<string, unknown>> | undefined;
  /** A folder whose subfolders are projects, each named by its project id. Default: none. */
  readonly PROJECTS_DIR?: string | undefined;
  /** URL of a context service, from which files and pinned items are read; may contain a user and a password. Default: none. */
  readonly CONTEXT_SERVICE_URL?: string | undefined;
  /** A folder in which every step is recorded, including prompts and replies. Default none. */
  readonly RECORD_DIR?: string | undefined;
  /** Maximum size of `RECORD_DIR`, in bytes; the oldest recorded runs are deleted first. Default 256 MiB. */
  readonly RECORD_MAX_BYTES?: number | string | undefined;
  /** `on` keeps the last steps in memory and streams them, including prompts and replies. Default `off`. */
  readonly WATCH?: 'on' | 'off' | undefined;
  /** Path of a file of bearer tokens, in YAML or JSON; callers then need one. Default: none, so that anybody may call. */
  readonly AUTH_TOKENS_FILE?: string | undefined;
  /** `on` if a proxy in front of the service authenticates its callers. Default `off`. */
  readonly ALLOW_UNAUTHENTICATED?: 'on' | 'off' | undefined;
  /**
   * Requests per minute for each token, or for each address if no tokens are configured. Default 0: no
   * limit.
   */
  readonly RATE_LIMIT_PER_MINUTE?: number | string | undefined;
  /** URL of a Redis or Valkey server through which several processes share their limits. Default: each counts alone. */
  readonly REDIS_URL?: string | undefined;
  /** Proxies whose `X-Forwarded-For` is trusted: their number, or their addresses (as text, separated by commas). Default: none. */
  readonly TRUST_PROXY?: number | string | readonly string[] | undefined;
  /** Web origins whose pages may call the service; as text, separated by commas. Default none. */
  readonly CORS_ORIGINS?: string | readonly string[] | undefined;
  /** Maximum size of a request body, in bytes. Default 4 MiB. */
  readonly MAX_BODY_BYTES?: number | string | undefined;
  /** Maximum number of requests in flight; further ones are refused with 503. Default 2048. */
  readonly MAX_IN_FLIGHT?: number | string | undefined;
  /**
   * Maximum bytes in flight: request bodies and the replies expected for them. Further requests are refused with 503. Default: an
   * eighth of V8's heap limit less 120 MiB.
   */
  readonly MAX_BYTES_IN_FLIGHT?: number | string | undefined;
  /** Event loop lag above which new requests are rejected, in milliseconds. Default 250. */
  readonly MAX_EVENT_LOOP_LAG_MS?: number | string | undefined;
  /** Time after which a request ends with an error, model call included, in milliseconds. Default 120,000. */
  readonly STEP_DEADLINE_MS?: number | string | undefined;
  /**
   * Time after SIGTERM during which the service reports not ready but still accepts requests, in
   * milliseconds. Default 0.
   */
  readonly SHUTDOWN_DELAY_MS?: number | string | undefined;
  /** Time that accepted requests may take after `SHUTDOWN_DELAY_MS`, in milliseconds. Default 125,000. */
  readonly SHUTDOWN_GRACE_MS?: number | string | undefined;
  /** URL of the proxy for http servers; loopback addresses never use one. Default: no proxy. */
  readonly HTTP_PROXY?: string | undefined;
  /** URL of the proxy for https servers; its own scheme may be http. Default: no proxy. */
  readonly HTTPS_PROXY?: string | undefined;
  /** Hosts that are reached without a proxy, separated by commas; `*` is all of them. Default: only loopback addresses. */
  readonly NO_PROXY?: string | undefined;
  /**
   * Base URL of the OpenTelemetry collector that receives spans over HTTP; `/v1/traces` is appended. Without
   * it, no spans are recorded.
   */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  /** Full URL of the collector's trace endpoint, used as it is, and before `OTEL_EXPORTER_OTLP_ENDPOINT`. Default: none. */
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  /** `none` turns tracing off; any other value leaves it to the other settings. Default: as those say. */
  readonly OTEL_TRACES_EXPORTER?: string | undefined;
  /** `true` turns tracing off. Default: tracing is on if there is a collector. */
  readonly OTEL_SDK_DISABLED?: string | undefined;
}
