import type { VendorErrorName } from '../faults/vendor-errors.js';

/** The reply of a loopback provider to one request: a completion or a fault. */
export type ScriptedReply = ScriptedCompletion | Fault;

/** A completion in a neutral form, which each wire translates to its vendor's. */
export interface ScriptedCompletion {
  readonly fault?: never;
  /** The text. `null` or absent: OpenAI `content: null`, Anthropic no text block. `''` is sent as an empty text. */
  readonly text?: string | null;
  /** OpenAI shape: `reasoning_content`; Anthropic shape: a thinking block with a signature. */
  readonly reasoning?: string;
  /** OpenAI shape: `reasoning_details`, as OpenRouter sends them. A stream sends their texts word by word. */
  readonly reasoningDetails?: readonly Readonly<Record<string, unknown>>[];
  /** OpenAI shape: `extra_content.google.thought_signature` of the message, as Gemini sends it beside a text. */
  readonly thoughtSignature?: string;
  /** Native tool calls; several are parallel calls. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** OpenAI: `message.refusal`; Anthropic: `stop_reason: "refusal"` with `stop_details.explanation`. */
  readonly refusal?: string;
  /**
   * `stop`, `length`, `tool` and `refusal` are translated to the vendor's values; any other value is sent
   * unchanged.
   */
  readonly finishReason?: string;
  /** Overrides the provider's own count, which is a quarter of the bytes, rounded up. */
  readonly usage?: Partial<ScriptedUsage>;
  /** The model named in the answer. Default: the requested one. */
  readonly model?: string;
  /** The text deltas of a stream, read lazily. Default: one per word of `text`. */
  readonly chunks?: Iterable<string>;
  /** Delay before the headers. */
  readonly delayMs?: number;
  /** Delay before each event of a stream. */
  readonly chunkDelayMs?: number;
}

/** A native tool call. */
export interface ScriptedToolCall {
  /** Default: derived from the call, so that it is the same in each run. */
  readonly id?: string;
  readonly name: string;
  /** A string is sent unchanged, so that broken JSON can be scripted (OpenAI shape, and Anthropic streams). */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** OpenAI shape: `extra_content.google.thought_signature` of the call; in a stream, with its first part. */
  readonly thoughtSignature?: string;
}

/** Token counts. `input` includes tokens read from and written to the cache, for both vendors. */
export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
  /** Price of the call, as OpenRouter sends it. */
  readonly cost?: number;
}

/** All faults: the vendors' own errors and the other rows of the table in `faults.ts`. */
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

/** A fault of the table in `faults.ts`. Every option has a default, so `{ fault }` alone is a reply. */
export interface Fault {
  readonly fault: FaultName;
  /** The completion that is slowed, dripped, stalled or cut, or that follows the fault. */
  readonly completion?: ScriptedCompletion;
  /** `slow-headers`: delay before the headers (default 60,000). */
  readonly delayMs?: number;
  /** `drip`: delay before each byte (default 100). */
  readonly intervalMs?: number;
  /** Errors: value of the Retry-After header (by default only `rate-limited` has one: 1 second). */
  readonly retryAfter?: string;
  /**
   * `redirect`: target. By default a path of the same server, so that the server records a request that follows the
   * redirect.
   */
  readonly location?: string;
  /** `unsupported-parameter`: name of the refused parameter (default `temperature`). */
  readonly parameter?: string;
  /** `huge`: the size of the answer in bytes (default 300 MB). */
  readonly bytes?: number;
}

export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  /** Parameters of the query. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON object in the body; `{}` if there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The bytes of the body as text. */
  readonly rawBody: string;
  /** Time at which the body was complete, in milliseconds since the epoch. */
  readonly at: number;
  /** How the exchange ended; null while it lasts. */
  readonly ending: Ending | null;
  /** Time at which the exchange ended, in milliseconds since the epoch; null while it lasts. */
  readonly endedAt: number | null;
  /** Whether the client left before the reply had ended. */
  readonly aborted: boolean;
  /** Resolves when the exchange ends; never rejects. */
  readonly ended: Promise<Ending>;
}

/** `aborted`: the client left; `cut`: the provider broke the connection. */
export type Ending = 'answered' | 'aborted' | 'cut';
