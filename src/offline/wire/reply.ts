import type { VendorErrorName } from '../faults/vendor-errors.js';

/** What a loopback provider answers to one request: a completion, or something that goes wrong. */
export type ScriptedReply = ScriptedCompletion | Fault;

/** A completion, in neither vendor's words; each wire writes it in its own. */
export interface ScriptedCompletion {
  readonly fault?: never;
  /** The text. `null` or absent: OpenAI `content: null`, Anthropic no text block. `''` is sent as an empty text. */
  readonly text?: string | null;
  /** OpenAI shape: `reasoning_content`; Anthropic shape: a thinking block with a signature. */
  readonly reasoning?: string;
  /** Native tool calls; several are parallel ones. */
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** OpenAI: `message.refusal`; Anthropic: `stop_reason: "refusal"` with `stop_details.explanation`. */
  readonly refusal?: string;
  /** `stop`, `length`, `tool` and `refusal` become the vendor's word; anything else is sent as it is. */
  readonly finishReason?: string;
  /** Overrides the fake's own count, which is a quarter of the characters, rounded up. */
  readonly usage?: Partial<ScriptedUsage>;
  /** The model named in the answer; by default the one that was asked for. */
  readonly model?: string;
  /** The text deltas of a stream, lazily taken; by default one for each word of `text`. */
  readonly chunks?: Iterable<string>;
  /** Wait before the headers. */
  readonly delayMs?: number;
  /** Wait before each event of a stream. */
  readonly chunkDelayMs?: number;
}

/** A native call, in either vendor's shape. */
export interface ScriptedToolCall {
  /** By default made from the call, so that it is the same in each run. */
  readonly id?: string;
  readonly name: string;
  /** A string is sent as it stands, so that broken JSON can be scripted (OpenAI shape, and Anthropic streams). */
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

/** Tokens. `input` includes the cached and the written ones, whatever the vendor's own arithmetic. */
export interface ScriptedUsage {
  readonly input: number;
  readonly output: number;
  readonly cachedInput: number;
  readonly cacheWrite: number;
  readonly reasoning: number;
}

/** Every way a provider can go wrong: one of its own errors, or a row of the table in `faults.ts`. */
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
  /** What is slowed, dripped, stalled, cut, or at last given. */
  readonly completion?: ScriptedCompletion;
  /** `slow-headers`: wait before the headers (default 60,000). */
  readonly delayMs?: number;
  /** `drip`: wait before each byte (default 100). */
  readonly intervalMs?: number;
  /** Errors: the Retry-After header as it is to be sent (only `rate-limited` has one by itself: 1 second). */
  readonly retryAfter?: string;
  /** `redirect`: where to (default: a path of the same server, where the second request is recorded). */
  readonly location?: string;
  /** `unsupported-parameter`: the parameter that is refused (default `temperature`). */
  readonly parameter?: string;
  /** `huge`: the size of the answer in bytes (default 300 MB). */
  readonly bytes?: number;
}

/** One request as it arrived. */
export interface RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON object that was sent; `{}` if it was none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The bytes of the body as text. */
  readonly rawBody: string;
  /** Milliseconds since the epoch, when the body had arrived. */
  readonly at: number;
  /** How the exchange ended; null while it goes on. */
  readonly ending: Ending | null;
  /** When it ended, in milliseconds since the epoch; null while it goes on. */
  readonly endedAt: number | null;
  /** True once the client went away before the reply had ended. */
  readonly aborted: boolean;
  /** Resolves when the exchange ends; never rejects. */
  readonly ended: Promise<Ending>;
}

/** `aborted`: the client went away; `cut`: the provider broke the connection itself. */
export type Ending = 'answered' | 'aborted' | 'cut';
