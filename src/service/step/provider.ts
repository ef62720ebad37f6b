import type { ClientTerms } from '../../contract/recorded-step.js';
import type { FinishReason, Usage, Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { UnitAttachment } from '../../conversation/units.js';
import type { ConnectionFailure } from '../../network/connection-problem.js';
import type { SchemaDialect } from '../../parsing/structured/schema/schema-dialect.js';
import type { ImageFormula } from '../../tokens/attachments/image-tokens.js';
import type { StepDeadline } from './interruption.js';

/** The interface through which a step makes its one model call; each vendor has an adapter in `providers/`. */
export interface Provider {
  /** `openai`, `anthropic`, or the name of a configured upstream. */
  readonly name: string;

  /** Makes one completion. Throws `ProviderError`, or the signal's `Interruption`. */
  complete(request: CompletionRequest, deadline: StepDeadline): Promise<Completion>;

  /**
   * Makes the same completion as a stream of deltas. The last event contains the whole completion. Throws as
   * `complete` does.
   */
  stream(request: CompletionRequest, deadline: StepDeadline): AsyncIterable<CompletionEvent>;
}

/** Whether the model must call a tool: `required` demands any call, an object a call of one tool. */
export type ToolChoice = ClientTerms['toolChoice'];

/** One model call, independent of the vendor. Output limits are in tokens. */
export interface CompletionRequest {
  readonly model: string;
  readonly prompt: Prompt;
  /** Tokens of the prompt as counted by the service. */
  readonly promptTokens: number;
  readonly maxOutputTokens: number;
  readonly temperature: number | undefined;
  readonly seed: number | undefined;
  readonly reasoningEffort: StepRequest['llm_config']['reasoningEffort'];
  /** Key by which the vendor finds cached prompts of the same run (OpenAI's `prompt_cache_key`). */
  readonly cacheKey: string;
  /** The tools for the vendor's own tool calling; absent in the other protocols. */
  readonly nativeTools?: {
    readonly definitions: readonly ToolDefinition[];
    readonly choice: ToolChoice;
  };
  /**
   * Schema that constrains the output, in the model's dialect, or null for any JSON object; absent if the output
   * is not constrained.
   */
  readonly replySchema?: Readonly<Record<string, unknown>> | null;
}

/**
 * A prompt in vendor-independent terms. The messages alternate between the roles; the first and the last have the
 * role `user`.
 */
export interface Prompt {
  readonly system: string;
  /** True if a cache breakpoint follows the instructions and tools. */
  readonly systemBreakpoint: boolean;
  readonly messages: readonly Message[];
}

export interface Message {
  readonly role: 'user' | 'assistant';
  /** Parts of the message. Adjacent texts are joined without a separator. */
  readonly parts: readonly Part[];
}

export type Part =
  | {
      readonly type: 'text';
      readonly text: string;
      readonly breakpoint?: boolean;
      /** True for the tail of the prompt (rule: tail). Some vendors require it inside the preceding tool result. */
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
      /** Text of the result, in a fence (rule: fences). */
      readonly text: string;
      readonly isError: boolean;
      /** Images and PDF files of the result, sent after its text. */
      readonly attachments?: readonly UnitAttachment[];
      readonly breakpoint?: boolean;
    }
  | { readonly type: 'attachment'; readonly attachment: UnitAttachment; readonly breakpoint?: boolean }
  /** State of an earlier completion, sent back to the provider that returned it (rule: provider-state). */
  | { readonly type: 'provider_state'; readonly state: unknown };

export type CompletionEvent =
  | { readonly type: 'text'; readonly delta: string }
  | { readonly type: 'reasoning'; readonly delta: string }
  | { readonly type: 'completion'; readonly completion: Completion };

/** Approximate length of a token in the replies of models, for estimates where the vendor reports no count. */
export const CHARACTERS_PER_TOKEN = 4;

/** A completion in vendor-independent terms, together with the vendor's raw values. */
export interface Completion {
  readonly text: string;
  /** The model's reasoning, if the vendor sends it in a separate field. */
  readonly reasoning: string | null;
  readonly toolCalls: readonly NativeToolCall[];
  /** Total length of the calls beyond the maximum number, in characters; absent if there are none. */
  readonly unreadCallChars?: number | undefined;
  /** The vendor's refusal text; null if the model did not refuse, `''` for a refusal without a text. */
  readonly refusal: string | null;
  readonly finishReason: FinishReason;
  readonly finishReasonRaw: string | null;
  readonly usage: Usage;
  /** Name of the model, as the vendor reports it. */
  readonly model: string;
  /** True if the provider accepted the reply schema and so enforced it. */
  readonly isConstrained: boolean;
  /** State that the provider needs back with this reply, such as signed reasoning; absent if there is none. */
  readonly providerState?: unknown;
  /** Warnings, for example about dropped parameters. */
  readonly warnings: readonly Warning[];
  /** True if the reply exceeded the maximum length, so that its end was not read (rule: reply-cap). */
  readonly isTooLong?: boolean;
}

export interface NativeToolCall {
  readonly id: string;
  readonly name: string;
  /** The arguments as JSON text, not yet parsed; empty if the provider sent none. */
  readonly arguments: string;
  /** Provider state for the turn of this call. That of the first call includes the state of the whole reply. */
  readonly providerState?: unknown;
}

/** API through which an upstream is called: Chat Completions, Responses or Messages. */
export type WireName = 'chat' | 'responses' | 'messages';

/** Origin of a provider state. The state is sent back only to the same upstream, API and model family. */
export interface StateOrigin {
  /** Name of the upstream. */
  readonly provider: string;
  readonly wire: WireName;
  readonly family: string;
}

/** Traits of a model, from the model table and the configuration of its upstream. */
export interface ModelProfile {
  /** Tokens of prompt and reply together; null if unknown. */
  readonly contextWindow: number | null;
  readonly encoding: 'o200k_base' | 'cl100k_base';
  /** 1 if the encoding is the model's own; otherwise the safety factor of the estimate. */
  readonly countMargin: number;
  /** Tokens of the chat format: once per prompt, and once per message, including the system message. */
  readonly framing: { readonly prompt: number; readonly message: number };
  readonly nativeTools: 'good' | 'poor' | 'none';
  /** The strongest constraint that the model's API can enforce on its output. */
  readonly structured: SchemaDialect | 'json_object' | 'none';
  /**
   * False if the model is known to write actions as the prompt describes them even without an example (rule:
   * worked-example).
   */
  readonly needsExample: boolean;
  /** How the model counts images; `none` if it cannot see. Absent if this is unknown; such a model gets images. */
  readonly vision?: ImageFormula | 'none' | undefined;
  /** Origin of the provider states that can be sent back to the model; absent if there are none. */
  readonly stateOrigin?: StateOrigin;
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

/** Details of a failure beyond its kind. */
export interface ProviderErrorDetails {
  readonly provider: string;
  readonly upstreamStatus?: number | null;
  readonly retryAfterMs?: number | null;
  readonly vendorWords?: string | null;
  readonly connection?: ConnectionFailure | null;
}

/**
 * A vendor's failure. Of its fields, only `vendorWords` contains text of the vendor, because that text may contain
 * the caller's key.
 */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly failure: ProviderFailure;
  readonly provider: string;
  readonly upstreamStatus: number | null;
  readonly retryAfterMs: number | null;
  /** Problem of the connection; null if the provider could be reached. */
  readonly connection: ConnectionFailure | null;
  /** Private, so that a printed error does not contain it. */
  readonly #vendorWords: string | null;

  constructor(failure: ProviderFailure, details: ProviderErrorDetails) {
    super(`The provider ${details.provider} failed: ${failure}.`);
    this.failure = failure;
    this.provider = details.provider;
    this.upstreamStatus = details.upstreamStatus ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
    this.connection = details.connection ?? null;
    this.#vendorWords = details.vendorWords ?? null;
  }

  /**
   * The vendor's explanation of a refused request, without secrets, at most 500 characters; null if there is none
   * that is safe to return. For the caller only: never logged or traced (rule: vendor-words).
   */
  get vendorWords(): string | null {
    return this.#vendorWords;
  }
}
