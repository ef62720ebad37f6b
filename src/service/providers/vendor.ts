import type { Warning } from '../../contract/step.js';
import type { Completion, CompletionEvent, CompletionRequest } from '../step/provider.js';
import type { Constraint } from './constraint.js';
import type { FailedAttempt } from './upstream/failed-attempt.js';
import type { SentBody } from './upstream/sdk-exchange.js';

/** One vendor's way of saying things, for one upstream. Everything but `sdk` is pure. */
export interface Vendor {
  /** The headers that say who asks: the one place that reveals the key. */
  headers(): Readonly<Record<string, string>>;

  /** The prompt and the tools in the vendor's words. */
  word(request: CompletionRequest): Wording;

  /** A request for what was worded, without the parameters the model is known to refuse. */
  draft(wording: Wording, terms: Terms, options: DraftOptions): Draft;

  /** The vendor's SDK, loaded with the first call. Throws the signal's reason if that fires meanwhile. */
  sdk(signal: AbortSignal): Promise<VendorSdk>;

  /** The failed attempt that an error of the SDK means; undefined if the provider did not answer. */
  readError(error: unknown, draft: SentDraft): FailedAttempt | undefined;

  /** The completion in a plain answer's JSON. Throws a `FailedAttempt` if it holds none. */
  readAnswer(json: unknown, draft: SentDraft): Promise<Completion>;

  /**
   * The completion in a stream of whole events, its pieces first; then reads on to the end of the stream, which may be long in coming.
   * Throws `ProviderError`, a `FailedAttempt` for an error that the stream holds, and what reading the stream throws.
   */
  readStream(events: AsyncIterable<string>, draft: SentDraft): AsyncGenerator<CompletionEvent, undefined>;
}

interface VendorSdk {
  /** Sends a body as JSON; resolves when `fetch` has succeeded. Throws what the SDK throws. */
  send(request: SentBody): Promise<unknown>;
}

/** What is long in a request, as fields of its body, and the way back from the names it uses. */
export interface Wording {
  readonly long: object;
  /** The caller's name of a tool, from the name the vendor was given. */
  ownToolName(vendorName: string): string;
}

/** A request without its texts. */
export type Terms = Omit<CompletionRequest, 'prompt'>;

export interface DraftOptions {
  readonly refused: ReadonlySet<string>;
  readonly streamed: boolean;
}

/** What is to be remembered of a request until its answer is there. */
export type SentDraft = Omit<Draft, 'body'>;

/** A request as it will be sent. */
export interface Draft extends Pick<Wording, 'ownToolName'> {
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Keys of the body that can be left out: the answer may be less to the caller's liking, but it is one. */
  readonly strippable: readonly string[];
  /** What the reply is held to; absent if nothing of the kind is sent. */
  readonly constraint?: Constraint | undefined;
  readonly warnings: readonly Warning[];
}

/** More of a reply's text or of its reasoning. */
export type TextDelta = Extract<CompletionEvent, { delta: string }>;

/** The deltas of what was read at once: neighbours of one kind are one. */
export class Deltas {
  readonly events: { type: TextDelta['type']; delta: string }[] = [];

  add({ type, delta }: TextDelta): void {
    if (delta === '') return;
    const last = this.events.at(-1);
    if (last?.type === type) last.delta += delta;
    else this.events.push({ type, delta });
  }
}
