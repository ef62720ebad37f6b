import type { ContextReport } from '../../contract/context-report.js';
import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { Parse, Signals, StepError, Usage, Warning } from '../../contract/step.js';
import type { LlmConfig } from '../../contract/step-request.js';
import type { WatchedEndpoint } from '../../contract/watch.js';
import type { PromptSize } from '../step/interruption.js';
import type { ClientTool, ClientTools } from './client-tools.js';

/**
 * One of the APIs that `/v1` supports (rule: compatible-wires). A wire reads a request body into a neutral request
 * and writes the answer. It handles neither HTTP nor prompts, which are the same for all wires.
 */
export interface Wire {
  readonly endpoint: Exclude<WatchedEndpoint, 'react_step'>;
  /**
   * Reads a request. Throws `StepRefused` with one detail, whose message is sent to the client, or the signal's
   * reason once it is aborted. Yields to the event loop between the items of long lists (`readEach`).
   */
  read(body: unknown, signal: AbortSignal): Promise<WireExchange>;
}

/** A parsed request, and the writer of its answer, which may repeat parts of the request. */
export interface WireExchange {
  readonly request: NeutralRequest;
  /** True if the client wants a stream of events. */
  readonly isStreamed: boolean;
  /** Writes the whole answer as one JSON body. */
  writeAnswer(answer: Answer): object;
  /** Begins a stream of events. */
  openStream(identity: AnswerIdentity): StreamWriter;
}

/** A request in terms that do not depend on the API of the client. */
export interface NeutralRequest {
  /** Name of the model in the request: `upstream/name`, or a name alone. */
  readonly model: string;
  /** System and developer texts, joined by blank lines; empty if there are none. */
  readonly instructions: string;
  /** The conversation, oldest turn first. Its calls use the tool names of `tools`. */
  readonly turns: readonly Turn[];
  readonly tools: ClientTools;
  readonly toolChoice: ClientTerms['toolChoice'];
  /** False if the client accepts at most one call per answer. */
  readonly takesSeveralCalls: boolean;
  /** JSON Schema of the answer; undefined if the answer is text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | undefined;
  readonly settings: NeutralSettings;
  /**
   * The client's own name for the conversation, from which the session id is derived; undefined if the client gives
   * none.
   */
  readonly cacheKey: string | undefined;
  /** Deviations from the request that the report lists, such as ignored fields and replaced images. */
  readonly warnings: readonly Warning[];
}

/** Settings in the request that are passed on to the model. */
interface NeutralSettings extends Pick<LlmConfig, 'temperature' | 'seed' | 'reasoningEffort'> {
  /** Maximum tokens of the reply; undefined if the client sets none. */
  readonly maxOutputTokens: number | undefined;
}

/** The fields of an answer that are known before the model replies. */
export interface AnswerIdentity {
  /** Random text of 24 letters and digits for ids, such as `chatcmpl-ID`. */
  readonly id: string;
  /** Unix time in seconds. */
  readonly createdAt: number;
  /** The model as the client named it. */
  readonly model: string;
}

/** The answer to a request, after corrections. */
export interface Answer extends AnswerIdentity {
  /** The text for the user, or the thought before calls; may be empty. */
  readonly text: string;
  /** The model's own reasoning; may be empty. */
  readonly reasoning: string;
  /** The text with which the model refused, which may be empty; null if the model did not refuse. */
  readonly refusal: string | null;
  readonly calls: readonly AnswerCall[];
  /** `length` means that the output limit cut off the answer or an action. */
  readonly end: 'stop' | 'length' | 'calls' | 'refusal';
  /** The sum over all steps. Counts that the provider did not report are the service's own. */
  readonly usage: Usage & { readonly input_tokens: number; readonly output_tokens: number };
  /** State that the provider needs back with an answer without calls (rule: provider-state). */
  readonly providerState: unknown;
  /** The value of the field `stepwise` in the body; undefined unless the client asked for a report. */
  readonly report: AnswerReport | undefined;
}

/** A call that the model proposes, for the client to run. */
export interface AnswerCall {
  readonly id: string;
  /** The tool as the client knows it. If the client does not offer a tool of this name, its kind is `function`. */
  readonly tool: ClientTool;
  readonly parameters: Readonly<Record<string, unknown>>;
  /**
   * The arguments as JSON text. If the model made the call in the provider's own field and it did not pass the check,
   * they are as the model wrote them, with all digits of their numbers.
   */
  readonly argumentsText: string;
  /** State that the provider needs back with this call (rule: provider-state). */
  readonly providerState: unknown;
}

/** Report of an answer: the context that was left out, and how the reply was read (rule: compatible-report). */
interface AnswerReport {
  readonly context_report: ContextReport | null;
  readonly parse: Parse | null;
  readonly signals: Signals | null;
  readonly warnings: readonly Warning[];
}

/**
 * Writes one stream. Every method returns the server-sent events to send, each with its blank line, or an empty text.
 * The code that all wires share calls the methods in this order: `begin`, then `reason` and `say` any number of
 * times, then `end`; or `fail` at any point. All text and reasoning of the answer is sent before `end`.
 */
export interface StreamWriter {
  /**
   * Opens the stream, once the upstream has begun to reply. `promptTokens` is the service's own count, 0 if the prompt
   * was never sent.
   */
  begin(promptTokens: number): string;
  say(delta: string): string;
  reason(delta: string): string;
  /** Writes the calls, the finish reason, the usage, and the end mark. */
  end(answer: Answer): string;
  fail(failure: WireFailure): string;
  /** An event without content that keeps the connection open; by default, an SSE comment is sent. */
  readonly keepAlive?: string;
  /** True if clients recognise a too long prompt only by an error in the stream, not by the HTTP status. */
  readonly reportsTooLong?: boolean;
}

/** A failure, with the additional facts that errors of the compatible APIs contain. */
export interface WireFailure {
  readonly failure: StepError;
  /** HTTP status of the failure, as listed in the error table (`docs/reference/errors.md`). */
  readonly status: number;
  /** Message for a developer: the fixed sentence of the error code, then the details. */
  readonly message: string;
  /** Path of the field that was refused, such as `messages[2].content`; null if there is none. */
  readonly param: string | null;
  /**
   * Present if the prompt is too long for the model; the failure is then written as the context-length error of the
   * client's API.
   */
  readonly tooLong: PromptSize | null;
  readonly requestId: string;
}

/**
 * Writes a failure that happens before the first byte of an answer is sent, in the shape of an API. The status is the
 * one by which clients of this API decide whether to retry.
 */
export type FailureWriter = (failure: WireFailure) => { readonly status: number; readonly body: object };
