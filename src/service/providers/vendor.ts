import { isObject } from '../../contract/fields.js';
import type { Warning } from '../../contract/step.js';
import { parseJsonKeepingDigits } from '../../parsing/text/exact-json.js';
import type { CompletionEvent, CompletionRequest, ProviderFailure } from '../step/provider.js';
import type { Constraint } from './constraint.js';
import type { VendorCompletion } from './seal-states.js';
import type { ReplyCap } from './upstream/reply-cap.js';

/** Adapter for one vendor's API at one upstream: writes requests and reads responses. Opens no connection. */
export interface Vendor {
  /** Path of the endpoint, relative to the URL of the upstream. */
  readonly path: string;
  /** The vendor's error codes and the failures they mean. */
  readonly errorCodes: ReadonlyMap<string, ProviderFailure>;
  /** Headers that the API requires, besides the one with the key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Maps the prompt and the tools to the vendor's format. */
  mapPrompt(request: CompletionRequest): MappedPrompt;
  /** Builds the request, without the parameters that the model is known to refuse. */
  toRequest(prompt: MappedPrompt, settings: RequestSettings, options: RequestOptions): VendorRequest;
  /** Starts reading the reply to a request. */
  startReply(request: SentRequest, cap: ReplyCap): VendorReply;
  /** Reads an error body: of a response with an error status, or of a 200 response that contains an error. */
  readError(body: string): VendorError;
}

/** A prompt in the vendor's format, with a function that maps the vendor's tool names back to the caller's. */
export interface MappedPrompt {
  /** Fields of the request's body: the messages, the tools and, for Anthropic, the system text. */
  readonly fields: object;
  /** Returns the caller's name for a tool that the vendor knows under `vendorName`. */
  ownToolName(vendorName: string): string;
}

/** A completion request without its texts. */
export type RequestSettings = Omit<CompletionRequest, 'prompt'>;

export interface RequestOptions {
  /** Parameters that the model is known to refuse. */
  readonly refused: ReadonlySet<string>;
  readonly streamed: boolean;
}

export interface VendorRequest extends Pick<MappedPrompt, 'ownToolName'> {
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /**
   * Keys of the body that a second attempt may omit if the provider refuses them: a less suitable reply is better
   * than no reply.
   */
  readonly strippable: readonly string[];
  /** The schema that is sent for the reply; absent if there is none. */
  readonly constraint?: Constraint | undefined;
  readonly warnings: readonly Warning[];
  /** True if the request has native tools. */
  readonly isNative?: boolean;
}

/** The part of a request that is still needed to read its response. */
export type SentRequest = Omit<VendorRequest, 'body'>;

/** Returns whether a request constrains its reply to a schema, rather than only to JSON. */
export const hasSchema = ({ constraint }: SentRequest): boolean => (constraint?.schema ?? null) !== null;

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
  /** Returns the completion as read so far, in vendor-independent terms. */
  completion(): VendorCompletion;
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

/**
 * Returns the JSON value of a text, or undefined if the text is not JSON. A byte order mark before it is ignored. Numbers
 * that JavaScript cannot represent are strings of their digits, because some servers send arguments as an object.
 */
export function parseJson(text: string): unknown {
  try {
    return parseJsonKeepingDigits(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Returns whether the data of an event is the end mark of OpenAI's streams, which gateways send for each API. */
export const isEndMark = (data: string): boolean => data.startsWith('[DONE]');

/** Returns the objects of a list. Some servers send one object where a list is documented. */
export function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}
