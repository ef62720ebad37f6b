import type { ContextReport } from '../../contract/context-report.js';
import type { Turn } from '../../contract/history.js';
import type { ClientTerms } from '../../contract/recorded-step.js';
import type { Parse, Signals, StepError, Usage, Warning } from '../../contract/step.js';
import type { LlmConfig } from '../../contract/step-request.js';
import type { WatchedEndpoint } from '../../contract/watch.js';
import type { ClientTool, ClientTools } from './client-tools.js';

/**
 * One of the APIs that `/v1` speaks (rule: compatible-wires). A wire reads a body into a neutral request and writes the
 * answer. It knows neither HTTP nor prompts; everything else is shared.
 */
export interface Wire {
  readonly endpoint: Exclude<WatchedEndpoint, 'react_step'>;
  /**
   * Reads a request. Throws `StepRefused` with one detail, whose sentence the client reads, and the signal's reason once
   * it is aborted. Yields between the items of long lists (`readEach`).
   */
  read(body: unknown, signal: AbortSignal): Promise<WireExchange>;

  /** Writes a failure before the first byte of an answer. */
  readonly writeFailure: FailureWriter;
}

/** A request that was read, and the writer of its answer, which may repeat parts of the request. */
export interface WireExchange {
  readonly request: NeutralRequest;
  /** True if the client wants a stream of events. */
  readonly isStreamed: boolean;
  /** Writes the whole answer as one JSON body. */
  writeAnswer(answer: Answer): object;
  /** Begins a stream of events. */
  openStream(identity: AnswerIdentity): StreamWriter;
}

/** A request of any wire in neutral terms. */
export interface NeutralRequest {
  /** Name of the model in the request: `upstream/name`, or a name alone. */
  readonly model: string;
  /** System and developer texts, joined by blank lines; empty if there are none. */
  readonly instructions: string;
  /** The conversation, oldest first. Calls name tools as `tools` does. */
  readonly turns: readonly Turn[];
  readonly tools: ClientTools;
  readonly toolChoice: ClientTerms['toolChoice'];
  /** False if the client takes one call at most. */
  readonly takesSeveralCalls: boolean;
  /** JSON Schema of the answer; undefined if the answer is text. */
  readonly answerSchema: Readonly<Record<string, unknown>> | undefined;
  readonly settings: NeutralSettings;
  /** The client's own name for the conversation, which decides its session; undefined if it has none. */
  readonly cacheKey: string | undefined;
  /** Deviations from the request, for the report: ignored fields, replaced images. */
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
  /** `length`: the output limit cut the answer, or an action, off. */
  readonly end: 'stop' | 'length' | 'calls' | 'refusal';
  /** The sum over all steps. Counts that no provider reported are the service's own. */
  readonly usage: Usage & { readonly input_tokens: number; readonly output_tokens: number };
  /** State that the provider needs back with an answer without calls (rule: provider-state). */
  readonly providerState: unknown;
  /** The value of the field `stepwise` in the body; undefined unless the client asked for a report. */
  readonly report: AnswerReport | undefined;
}

/** A call that the model proposes, for the client to run. */
export interface AnswerCall {
  readonly id: string;
  /** The tool as the client knows it. A name that it did not offer has the kind `function`. */
  readonly tool: ClientTool;
  readonly parameters: Readonly<Record<string, unknown>>;
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
 * Writes one stream. Every method returns the text to send, server-sent events with their blank lines, or an empty text.
 * The shared part sends each in this order: `begin`, then any number of `reason` and `say`, then `end`, or `fail` at any
 * point. All text and reasoning of the answer has been sent before `end`.
 */
export interface StreamWriter {
  /** Opens the stream, once the upstream has begun to reply. */
  begin(): string;
  say(delta: string): string;
  reason(delta: string): string;
  /** Writes the calls, the finish reason, the usage, and the end mark. */
  end(answer: Answer): string;
  fail(failure: WireFailure): string;
  /** An event without content that keeps the connection open; by default, an SSE comment is sent. */
  readonly keepAlive?: string;
  /** True if clients learn only from a stream, not from a status, that a prompt is too long. */
  readonly reportsTooLong?: boolean;
}

/** A failure, with the facts that an error of a compatible API contains besides its code and message. */
export interface WireFailure {
  readonly failure: StepError;
  /** HTTP status of the code, as listed in the error table (`docs/reference/errors.md`). */
  readonly status: number;
  /** One sentence or more for a developer: the fixed sentence of the code, and the details. */
  readonly message: string;
  /** Path of the field that was refused, such as `messages[2].content`; null if there is none. */
  readonly param: string | null;
  /**
   * Present if the prompt is too long for the model; the failure is then written as the context-length error of
   * the client's API.
   */
  readonly tooLong: TooLong | null;
  readonly requestId: string;
}

/** The size of a prompt that is too long, in tokens. */
export interface TooLong {
  readonly promptTokens: number;
  readonly maxPromptTokens: number;
}

/** Writes a failure in the shape of a wire, with the status by which its clients decide whether to retry. */
export type FailureWriter = (failure: WireFailure) => { readonly status: number; readonly body: object };
