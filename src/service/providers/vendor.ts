import type { Warning } from '../../contract/step.js';
import type { Completion, CompletionEvent, CompletionRequest, ProviderFailure } from '../step/provider.js';
import type { Constraint } from './constraint.js';
import type { ReplyCap } from './upstream/reply-cap.js';

/** One vendor's API at one upstream: writes requests and reads answers. Opens no connection. */
export interface Vendor {
  /** The endpoint, below the URL of the upstream. */
  readonly path: string;
  /** The vendor's error codes and the failures they mean. */
  readonly errorCodes: ReadonlyMap<string, ProviderFailure>;
  /** The headers that authenticate the caller: the only place that reveals the key. */
  headers(): Readonly<Record<string, string>>;
  /** Maps the prompt and the tools to the vendor's format. */
  mapPrompt(request: CompletionRequest): MappedPrompt;
  /** Builds the request, without the parameters that the model is known to refuse. */
  toRequest(prompt: MappedPrompt, settings: RequestSettings, options: RequestOptions): VendorRequest;
  /** Begins to read the reply to a request. */
  startReply(request: SentRequest, cap: ReplyCap): VendorReply;
  /** Reads an error: the body of an answer with an error status, or of a 200 that holds an error all the same. */
  readError(body: string): VendorError;
}

/** A prompt in the vendor's format, and the way back from the names it uses. */
export interface MappedPrompt {
  /** Fields of the request's body: the messages, the tools and, with Anthropic, the system text. */
  readonly fields: object;
  /** Returns the caller's name of a tool. */
  ownToolName(vendorName: string): string;
}

/** A request without its texts. */
export type RequestSettings = Omit<CompletionRequest, 'prompt'>;

export interface RequestOptions {
  /** Parameters that the model is known to refuse. */
  readonly refused: ReadonlySet<string>;
  readonly streamed: boolean;
}

export interface VendorRequest extends Pick<MappedPrompt, 'ownToolName'> {
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Keys of the body that a second request may leave out: the reply may be less to the caller's liking, but it is one. */
  readonly strippable: readonly string[];
  /** The schema that is sent for the reply; absent if none is. */
  readonly constraint?: Constraint | undefined;
  readonly warnings: readonly Warning[];
}

/** The part of a request that reading its answer needs. */
export type SentRequest = Omit<VendorRequest, 'body'>;

/** The text of a reply, or its reasoning, as it arrives. */
export type TextDelta = Extract<CompletionEvent, { delta: string }>;

/** A reply that is being read. A plain answer is read at once, a stream event by event. */
export interface VendorReply {
  /** Whether any part of a completion has arrived. */
  readonly hasBegun: boolean;
  /** Whether the finish reason has arrived. */
  readonly isFinished: boolean;
  /** Whether the vendor's end mark has arrived. */
  readonly hasEnded: boolean;
  /** Reads a plain answer. Returns false if the JSON is no completion. */
  addAnswer(json: unknown): boolean;
  /** Reads the data of one event and returns its text; undefined if the event is no part of a completion. */
  addEvent(data: string): readonly TextDelta[] | undefined;
  /** Returns what has been read so far, in unified terms. */
  completion(): Completion;
}

/** The vendor's own words for a failure. */
export interface VendorError {
  /** Machine-readable names of the error, the most specific first. */
  readonly codes: readonly string[];
  /** The parameter or path that the vendor names. */
  readonly parameter: string | undefined;
  readonly message: string;
  /** The HTTP status that a gateway gives inside of a 200. */
  readonly status: number | undefined;
  /** The part that the caller may see; absent if the body holds no error object. */
  readonly words: VendorMessage | undefined;
}

/** A vendor's explanation of why it refused a request. */
export interface VendorMessage {
  readonly message: string;
  /** The field of the request that is at fault, if the vendor names one apart from the message. */
  readonly parameter: string | undefined;
}

/** The JSON value of a text, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
