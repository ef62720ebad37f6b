import type { Warning } from '../../contract/step.js';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  NativeToolCall,
  ProviderFailure,
} from '../step/provider.js';
import type { Constraint } from './constraint.js';
import type { ReplyCap } from './upstream/reply-cap.js';
import type { LimitedRequest } from './vendor-limits.js';

/** Adapter for one vendor's API at one upstream: writes requests and reads responses. Opens no connection. */
export interface Vendor {
  /** Path of the endpoint, relative to the URL of the upstream. */
  readonly path: string;
  /** The vendor's error codes and the failures they mean. */
  readonly errorCodes: ReadonlyMap<string, ProviderFailure>;
  /** Headers that the API requires, besides the one with the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maps the prompt and the tools to fields of the request's body. */
  mapPrompt(request: LimitedRequest): object;
  /**
   * Builds the request, without the parameters that the model is known to refuse.
   *
   * @param prompt is the result of `mapPrompt`, or the body of an earlier request.
   */
  toRequest(prompt: object, settings: RequestSettings, options: RequestOptions): VendorRequest;
  /** Starts reading the reply to a request. */
  startReply(request: SentRequest, cap: ReplyCap): VendorReply;
  /** Reads an error body: of a response with an error status, or of a 200 response that contains an error. */
  readError(body: string): VendorError;
}

/** A completion request without its texts. */
export type RequestSettings = Omit<CompletionRequest, 'prompt'>;

export interface RequestOptions {
  /** Parameters that the model is known to refuse. */
  readonly refused: ReadonlySet<string>;
  readonly streamed: boolean;
}

export interface VendorRequest {
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Keys of the body that a second attempt may omit if the provider refuses them: a less suitable reply is better
   * than no reply.
   */
  readonly strippable: readonly string[];
  /** The schema that is sent for the reply; absent if there is none. */
  readonly constraint?: Constraint | undefined;
  readonly warnings: readonly Warning[];
}

/** The part of a request that is still needed to read its response. */
export interface SentRequest extends Omit<VendorRequest, 'body'> {
  readonly model: string;
  /** True if the request has native tools. */
  readonly isNative: boolean;
  /** Returns the caller's name for a tool that the vendor knows under `vendorName`. */
  ownToolName(vendorName: string): string;
}

/** A fragment of a reply's text or reasoning. */
export type TextDelta = Extract<CompletionEvent, { delta: string }>;

/** A reply that is being read: a plain response is added at once, a stream event by event. */
export interface VendorReply {
  /** True once any part of a completion has arrived. */
  readonly hasBegun: boolean;
  /** True once the finish reason has arrived. */
  readonly isFinished: boolean;
  /** True once the vendor's end mark has arrived. */
  readonly hasEnded: boolean;
  /** Reads a plain response. Returns false if the JSON is not a completion. */
  addAnswer(json: unknown): boolean;
  /**
   * Reads the data of one event and returns the text that it adds; undefined if the event is not part of a
   * completion.
   */
  addEvent(data: string): readonly TextDelta[] | undefined;
  /** Returns the reply as read so far, in vendor-independent terms. */
  completion(): VendorCompletion;
}

/** A reply as an adapter read it. Of a call without an id, the id is empty. */
export interface VendorCompletion
  extends Pick<Completion, 'text' | 'unreadCallChars' | 'finishReason' | 'finishReasonRaw' | 'usage'> {
  readonly reasoning: string;
  /** Text of the refusal; may be empty if the finish reason says that the model refused. */
  readonly refusal: string;
  /** Name of the model, if the vendor reports it. */
  readonly model: string | null | undefined;
  /** Tool calls with the vendor's names of the tools. */
  readonly toolCalls: readonly VendorToolCall[];
  /** State of the whole reply. */
  readonly state: VendorState | undefined;
}

export interface VendorToolCall extends Omit<NativeToolCall, 'providerState'> {
  /** Provider state of this call. That of the first call includes the state of the whole reply. */
  readonly state?: VendorState | undefined;
}

/** State that an adapter found in a reply, reduced to the fields that its API defines. */
export interface VendorState {
  readonly fields: Readonly<Record<string, unknown>>;
  /** True if a part of the state is encrypted or signed, so that its tokens cannot be counted. */
  readonly isEncrypted: boolean;
}

/** A vendor's error as read from its response. */
export interface VendorError {
  /** Machine-readable names of the error, most specific first. */
  readonly codes: readonly string[];
  /** The parameter or path that the vendor names. */
  readonly parameter: string | undefined;
  readonly message: string;
  /** The HTTP status that a gateway put into the body of a 200 response. */
  readonly status: number | undefined;
  /** The wait that the body asks for; null if it asks for none. */
  readonly retryAfterMs: number | null;
  /** The part of the error that the caller may see; undefined if the body contains no error object. */
  readonly words: VendorMessage | undefined;
}

/** A vendor's explanation of why it refused a request. */
export interface VendorMessage {
  readonly message: string;
  /** The invalid field of the request, if the vendor names it separately from the message. */
  readonly parameter: string | undefined;
}
