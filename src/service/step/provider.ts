import type { FinishReason, Usage, Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { SchemaDialect } from '../../parsing/structured/schema/schema-dialect.js';
import type { StepDeadline } from './interruption.js';

/** The port through which a step makes its one model call; each vendor has an adapter in `providers/`. */
export interface Provider {
  /** `openai`, `anthropic`, or the name of a configured upstream. */
  readonly name: string;

  /** One completion. Throws `ProviderError`, or the `Interruption` that ended the deadline. */
  complete(request: CompletionRequest, deadline: StepDeadline): Promise<Completion>;

  /** The same completion in pieces; the last event carries it whole. Throws as `complete` does. */
  stream(request: CompletionRequest, deadline: StepDeadline): AsyncIterable<CompletionEvent>;
}

/** One model call, in no vendor's terms. Output limits are in tokens. */
export interface CompletionRequest {
  readonly model: string;
  readonly prompt: Prompt;
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly seed: number | undefined;
  readonly reasoningEffort: StepRequest['llm_config']['reasoningEffort'];
  /** Steers repeated prompts to the same cache (OpenAI's `prompt_cache_key`). */
  readonly cacheKey: string;
  /** Given only if the model is to use the vendor's own tool calling. */
  readonly nativeTools?: {
    readonly definitions: readonly ToolDefinition[];
    readonly choice: 'auto' | 'none';
  };
  /** Given only if the reply is to be held to a schema, in the model's dialect; null: to any JSON object. */
  readonly replySchema?: Readonly<Record<string, unknown>> | null;
}

/** What is sent: messages alternate, the first and the last are the user's. */
export interface Prompt {
  readonly system: string;
  /** A cache breakpoint after the instructions and tools. */
  readonly systemBreakpoint: boolean;
  readonly messages: readonly Message[];
}

export interface Message {
  readonly role: 'user' | 'assistant';
  /** Neighbouring texts are one text to the model: joined without anything between. */
  readonly parts: readonly Part[];
}

export type Part =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly breakpoint?: boolean;
      /** Of one fence of ours and nothing else: a digest of all of it (rule: fences). */
      readonly digest?: string | undefined;
      /** What the text was put together of. */
      readonly pieces?: readonly string[] | undefined;
      /** The tail of the prompt (rule: tail): a vendor may want it inside the tool result it follows. */
      readonly tail?: boolean;
    }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly arguments: Readonly<Record<string, unknown>>;
    }
  | {
      readonly type: 'tool_result';
      readonly callId: string;
      /** A fence, and a digest of all of it. */
      readonly text: string;
      readonly digest?: string | undefined;
      readonly isError: boolean;
      readonly breakpoint?: boolean;
    }
  /** Opaque blocks of an earlier completion, for the provider that made them. */
  | { readonly type: 'provider_state'; readonly state: unknown };

export type CompletionEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'completion'; readonly completion: Completion };

/** A completion in unified terms, the vendor's own kept beside them. */
export interface Completion {
  readonly text: string;
  /** The model's reasoning if the vendor sends it in a field of its own. */
  readonly reasoning: string | null;
  readonly toolCalls: readonly NativeToolCall[];
  /** Calls beyond those that are read, and their characters; absent if there are none. */
  readonly unreadCalls?: { readonly count: number; readonly chars: number } | undefined;
  /** The vendor's refusal text, or `''` if it refused without words. */
  readonly refusal: string | null;
  readonly finishReason: FinishReason;
  readonly finishReasonRaw: string | null;
  readonly usage: Usage;
  /** The model as the vendor named it. */
  readonly model: string;
  /** The provider took the schema of the reply, and so the reply is held to it. */
  readonly isConstrained: boolean;
  /** Opaque blocks to send back with this turn (signed reasoning); absent if there are none. */
  readonly providerState?: unknown;
  /** Parameters dropped, and the like. */
  readonly warnings: readonly Warning[];
}

export interface NativeToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them: JSON text, not yet parsed. */
  readonly arguments: string;
}

/** What is known of a model: from the model table and the configuration of its upstream. */
export interface ModelProfile {
  /** Tokens of prompt and reply; null where unknown. */
  readonly contextWindow: number | null;
  readonly encoding: 'o200k_base' | 'cl100k_base';
  /** 1 if the encoding is the model's own; else the factor that makes the estimate safe. */
  readonly countMargin: number;
  /** Tokens the chat format itself takes: once, and for each message, the system message included. */
  readonly framing: { readonly prompt: number; readonly message: number };
  readonly nativeTools: 'good' | 'poor' | 'none';
  /** How the model's output can be held to a schema, or at least to JSON. */
  readonly structured: SchemaDialect | 'json_object' | 'none';
  /** False if the model is known to act in a form that it was only told (rule: worked-example). */
  readonly needsExample: boolean;
}

export type ProviderFailure =
  | 'authentication'
  | 'permission'
  | 'model_not_found'
  | 'billing'
  | 'rate_limited'
  | 'overloaded'
  | 'failed'
  | 'invalid_response'
  | 'unreachable'
  | 'context_length'
  | 'rejected';

/** What is known of a failure beyond its kind. */
export interface ProviderErrorDetails {
  readonly provider: string;
  readonly upstreamStatus?: number | null;
  readonly retryAfterMs?: number | null;
  readonly vendorWords?: string | null;
}

/** A vendor's failure. No other field carries a word of the vendor's: what a provider says may hold the caller's key. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly failure: ProviderFailure;
  readonly provider: string;
  readonly upstreamStatus: number | null;
  readonly retryAfterMs: number | null;
  /** Private, so that no print of the error shows it. */
  readonly #vendorWords: string | null;

  constructor(failure: ProviderFailure, details: ProviderErrorDetails) {
    super(`The provider ${details.provider} failed: ${failure}.`);
    this.failure = failure;
    this.provider = details.provider;
    this.upstreamStatus = details.upstreamStatus ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.#vendorWords = details.vendorWords ?? null;
  }

  /**
   * What the vendor says about a request it refused, cleaned, at most 500 characters; null if it says nothing that can
   * be shown. For the caller alone: never logged or traced (rule: vendor-words).
   */
  get vendorWords(): string | null {
    return this.#vendorWords;
  }
}
