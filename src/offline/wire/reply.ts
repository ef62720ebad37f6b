import type { VendorErrorName } from '../faults/vendor-errors.js';

/** The reply of a loopback provider to one request: a completion or a fault. */
export type ScriptedReply = ScriptedCompletion | Fault;

/** A completion in a vendor-independent format, which each wire translates into its vendor's format. */
export interface ScriptedCompletion {
  /** Always absent: a reply with this field is a fault. */
  readonly fault?: never;
  /**
   * The text. If it is null or absent, OpenAI's format has `content: null` and Anthropic's has no text block. `''` is
   * sent as an empty text.
   */
  readonly text?: string | null;
  /** Reasoning text. OpenAI's format: `reasoning_content`; Anthropic's: a thinking block with a signature. */
  readonly reasoning?: string;
  /**
   * Reasoning details. Only in OpenAI's format: `reasoning_details`, as OpenRouter sends them. A stream sends their
   * texts word by word.
   */
  readonly reasoningDetails?: readonly Readonly<Record<string, unknown>>[];
  /**
   * Signature of the message. Only in OpenAI's format: `extra_content.google.thought_signature`, as Gemini sends it
   * beside a text.
   */
  readonly thoughtSignature?: string;
  /** Native tool calls. Several calls are parallel calls. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /**
   * Refusal text. OpenAI's format: `message.refusal`; Anthropic's: `stop_reason: "refusal"` with
   * `stop_details.explanation`.
   */
  readonly refusal?: string;
  /**
   * Finish reason. `stop`, `length`, `tool` and `refusal` are translated into the vendor's values; any other value
   * is sent unchanged.
   */
  readonly finishReason?: string;
  /** Overrides the provider's own count, which is a quarter of the bytes, rounded up. */
  readonly usage?: Partial<ScriptedUsage>;
  /** The model named in the response. Default: the requested model. */
  readonly model?: string;
  /** The text deltas of a stream, read lazily. Default: one delta for each word of `text`. */
  readonly chunks?: Iterable<string>;
  /** Delay before the headers, in milliseconds. */
  readonly delayMs?: number;
  /** Delay before each event of a stream, in milliseconds. */
  readonly chunkDelayMs?: number;
}

/** A native tool call. */
export interface ScriptedToolCall {
  /** Id of the call. By default derived from the call, so that it is the same in each run. */
  readonly id?: string;
  /** Name of the called tool. It is sent unchanged, also if the request does not offer such a tool. */
  readonly name: string;
  /**
   * Arguments of the call. A string is sent unchanged, so that a script can send broken JSON (in OpenAI's format, and
   * in Anthropic's streams).
   */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /**
   * Signature of the call. Only in OpenAI's format: `extra_content.google.thought_signature`. A stream sends it with
   * the call's first fragment.
   */
  readonly thoughtSignature?: string;
}

/** Token counts. For both vendors, `input` includes tokens that were read from or written to the cache. */
export interface ScriptedUsage {
  /** Tokens of the prompt, cached ones included. Default: a quarter of the request's bytes. */
  readonly input: number;
  /** Tokens of the reply, reasoning included. Default: a quarter of the reply's bytes. */
  readonly output: number;
  /** Tokens of the prompt that were read from the vendor's cache. Default: 0. */
  readonly cachedInput: number;
  /** Tokens of the prompt that were written to the vendor's cache. Default: 0. */
  readonly cacheWrite: number;
  /** Tokens of the reply that were spent on reasoning. Default: 0. */
  readonly reasoning: number;
  /** Price of the call, as OpenRouter sends it. */
  readonly cost?: number;
}

/** Names of all faults: the vendors' own errors, and the other faults in `faults.ts`. */
export type FaultName =
  | VendorErrorName
  | 'echoed-key'
  | 'unsupported-parameter'
  | 'slow-headers'
  | 'stalled-body'
  | 'drip'
  | 'no-end'
  | 'cut'
  | 'silence'
  | 'reset'
  | 'html'
  | 'html-502'
  | 'empty'
  | 'null'
  | 'empty-object'
  | 'empty-choices'
  | 'truncated-json'
  | 'wrong-content-type'
  | 'huge'
  | 'redirect'
  | 'error-event';

/** A fault from `faults.ts`. Every option has a default, so `{ fault }` alone is a reply. */
export interface Fault {
  /** Name of the fault; `faultNames` lists all names. */
  readonly fault: FaultName;
  /** The completion that the fault delays or cuts off, or that is sent if the fault does not apply to the request. */
  readonly completion?: ScriptedCompletion;
  /** For `slow-headers`: delay before the headers in milliseconds (default 60,000). */
  readonly delayMs?: number;
  /** For `drip`: delay before each byte in milliseconds (default 100). */
  readonly intervalMs?: number;
  /** For errors: value of the Retry-After header (by default, only `rate-limited` sends one: 1 second). */
  readonly retryAfter?: string;
  /**
   * For `redirect`: target of the redirect. By default a path of the same server, so that the server records a
   * request that follows the redirect.
   */
  readonly location?: string;
  /** For `unsupported-parameter`: name of the refused parameter (default `temperature`). */
  readonly parameter?: string;
  /** For `huge`: size of the answer in bytes (default 300 MB). */
  readonly bytes?: number;
}

/** A request that the provider received, and how its exchange went. */
export interface RecordedRequest {
  /** HTTP method in capitals. */
  readonly method: string;
  /** Path of the URL without its query, such as `/v1/chat/completions`. */
  readonly path: string;
  /** Query parameters of the URL. */
  readonly query?: Readonly<Record<string, string>>;
  /** Headers by name in lower case; values of a repeated header are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON object in the body; `{}` if there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as text. */
  readonly rawBody: string;
  /** Time at which the body had arrived completely, in milliseconds since the epoch. */
  readonly at: number;
  /** How the exchange of request and response ended; null while it is in progress. */
  readonly ending: Ending | null;
  /** Time at which the exchange ended, in milliseconds since the epoch; null while it is in progress. */
  readonly endedAt: number | null;
  /** True if the client left before the response had ended. */
  readonly aborted: boolean;
  /** Resolves when the exchange ends; never rejects. */
  readonly ended: Promise<Ending>;
}

/** How an exchange ended. `aborted`: the client left; `cut`: the provider broke the connection. */
export type Ending = 'answered' | 'aborted' | 'cut';
