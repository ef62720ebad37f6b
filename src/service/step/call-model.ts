import type { StepRequest } from '../../contract/step-request.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import type { ParseDelta } from '../../parsing/delta-writer.js';
import { IncrementalParser } from '../../parsing/incremental-parser.js';
import type { ParseOptions } from '../../parsing/parse-completion.js';
import type { Pause } from '../../parsing/pause.js';
import { ObjectReplyReader } from '../../parsing/structured/reading/object-reply-reader.js';
import { outputLimit } from './budget/share-budget.js';
import { withoutNul } from './history/json-values.js';
import { nativeDefinitions } from './prompt/answer-type.js';
import type { Completion, CompletionEvent, CompletionRequest, Prompt } from './provider.js';
import type { RenderedPrompt } from './render-prompt.js';
import { PhaseReader } from './reply/phases.js';
import { PlainReader } from './reply/plain.js';
import { readAnswerCall } from './reply/read-native.js';
import { objectReaderOptions, partsOf, readingOptions } from './reply/read-text.js';
import type { StepDependencies, StepObserver } from './step-dependencies.js';
import {
  expectsPlainText,
  prosePhaseOf,
  type Received,
  type ReplySituation,
  type TextReading,
  usesIteration,
} from './types.js';

/**
 * Makes the one model call of a step; streams it if there is an observer. This is not an async function, because
 * an async function would keep the prompt in memory until the model has replied.
 */
export function callModel(
  { situation, prompt, report }: RenderedPrompt,
  { provider, deadline }: Pick<StepDependencies, 'provider' | 'deadline'>,
  observer?: StepObserver,
): Promise<Received> {
  const call = withTools(completionRequest(situation.request, prompt, report.prompt_tokens), situation);
  if (!observer) return provider.complete(call, deadline).then(receive);
  // The relay is created before the request starts: if its constructor threw after that, the request would stay in
  // flight.
  const relay = new Relay(situation, observer, deadline.signal);
  return relayEvents(provider.stream(call, deadline), relay);
}

const receive = (completion: Completion): Received => ({ completion: withoutNul(completion) });

async function relayEvents(events: AsyncIterable<CompletionEvent>, relay: Relay): Promise<Received> {
  for await (const event of events) {
    if (event.type === 'reasoning') await relay.reason(withoutNul(event.delta));
    else if (event.type === 'text') await relay.push(withoutNul(event.delta));
    else return relay.end(withoutNul(event.completion));
  }
  throw new Error('A provider stream ended without its completion.'); // the Provider contract requires one
}

/** Builds the completion request for a prompt from the caller's model settings, without native tools. */
export function completionRequest(
  { llm_config: config, session_id }: Pick<StepRequest, 'llm_config' | 'session_id'>,
  prompt: Prompt,
  promptTokens: number,
): CompletionRequest {
  return {
    model: config.modelName,
    prompt,
    promptTokens,
    maxOutputTokens: outputLimit(config),
    temperature: config.temperature,
    seed: config.seed,
    reasoningEffort: config.reasoningEffort,
    cacheKey: session_id,
  };
}

function withTools(call: CompletionRequest, situation: ReplySituation): CompletionRequest {
  const { replyFormat, protocol, clientTerms } = situation;
  const constrained = replyFormat ? { ...call, replySchema: replyFormat.schema } : call;
  if (protocol !== 'native') return constrained;
  const nativeTools = {
    definitions: nativeDefinitions(situation),
    choice: mayCallNatively(situation) ? (clientTerms?.toolChoice ?? 'auto') : 'none',
  };
  return { ...constrained, nativeTools };
}

/** Returns whether the vendor lets the model call tools in this step. */
const mayCallNatively = ({ protocol, mustAnswer, request, clientTerms }: ReplySituation): boolean =>
  protocol === 'native' && !mustAnswer && !expectsPlainText({ clientTerms }) && !prosePhaseOf(request);

interface DeltaReader {
  /** True if deltas come from the fields of a JSON object. Such texts contain no control block. */
  readonly readsObject?: boolean;
  push(text: string): ParseDelta[];
  endPausing(options: ParseOptions, pause: Pause): Promise<StreamedReading>;
}

type StreamedReading = TextReading & { readonly deltas: readonly ParseDelta[] };

/** Returns the streaming reader for the form of reply that the prompt asks for. */
function readerFor(situation: ReplySituation): DeltaReader {
  if (expectsPlainText(situation)) return new PlainReader();
  return situation.protocol === 'json'
    ? new ObjectReplyReader(objectReaderOptions(situation))
    : new IncrementalParser(situation.offered);
}

/** Reports a reply to an observer while it is written (rule: deltas-join). */
class Relay {
  readonly #situation: ReplySituation;
  readonly #observer: StepObserver;
  readonly #signal: AbortSignal;
  readonly #parser: DeltaReader;
  /** Removes control blocks from the prose; undefined if the step has no phase. */
  #phase: PhaseReader | undefined;

  /**
   * True if the reply of this phase is not for the user; an answer in it is then emitted as part of the thought
   * (rule: phases).
   */
  readonly #answerIsThought: boolean;

  /** Labelled answer beside which native calls may still arrive, so that it may be part of the thought. */
  #heldAnswer = '';
  readonly #holdsAnswer: boolean;

  #text = '';
  #last: ParseDelta['type'] | undefined;
  /** True after reasoning from the provider's own field, until reasoning in the text follows it. */
  #reasonsApart = false;

  constructor(situation: ReplySituation, observer: StepObserver, signal: AbortSignal) {
    const phase = prosePhaseOf(situation.request);
    this.#situation = situation;
    this.#observer = observer;
    this.#signal = signal;
    this.#parser = readerFor(situation);
    this.#answerIsThought = !usesIteration(situation.request);
    this.#phase = phase && new PhaseReader(phase);
    this.#holdsAnswer = mayCallNatively(situation);
  }

  reason(delta: string): Promise<void> | undefined {
    this.#reasonsApart ||= delta.trim() !== '';
    return this.#observer.delta('reasoning', delta);
  }

  async push(delta: string): Promise<void> {
    this.#text += delta;
    for (const part of partsOf(delta)) {
      await yieldIfBusy(this.#signal);
      await this.#report(this.#hold(this.#parser.push(part)));
    }
  }

  /**
   * Reports the text that the readers have held back so far. Returns the streamed reading, unless the completion has
   * a different text. Heeds no abort signal, because a complete reply has been billed and is read even after the
   * deadline.
   */
  async end(completion: Completion): Promise<Received> {
    const options = readingOptions(completion, this.#situation);
    const { deltas, ...reading } = await this.#parser.endPausing(options, yieldIfBusy);
    const answer = readAnswerCall(completion, this.#situation);
    const isThought =
      answer !== undefined || (completion.toolCalls.length > 0 && !this.#situation.mustAnswer);
    const rest = this.#release(deltas);
    await this.#report(isThought ? rest.map((delta) => this.#asThought(delta)) : rest);
    await this.#endPhase();
    if (answer) await this.#emit('answer', answer.text);
    return { completion, reading: completion.text === this.#text ? reading : undefined };
  }

  #hold(deltas: ParseDelta[]): ParseDelta[] {
    if (!this.#holdsAnswer) return deltas;
    for (const { type, delta } of deltas) if (type === 'answer') this.#heldAnswer += delta;
    return deltas.filter(({ type }) => type !== 'answer');
  }

  /** Returns the last deltas, with the answer that was held back as one delta. */
  #release(deltas: readonly ParseDelta[]): ParseDelta[] {
    const others = this.#hold([...deltas]);
    return this.#heldAnswer === '' ? others : [...others, { type: 'answer', delta: this.#heldAnswer }];
  }

  async #report(deltas: readonly ParseDelta[]): Promise<void> {
    if (this.#parser.readsObject) await this.#endPhase();
    for (const { type, delta } of deltas) await this.#emit(type, this.#proseOf(type, delta));
  }

  /** Awaits a slow observer, so that the relay slows down instead of filling memory. */
  async #emit(type: ParseDelta['type'], delta: string): Promise<void> {
    for (const part of partsOf(delta)) {
      await this.#observer.delta(this.#roleOf(type), part);
    }
  }

  /**
   * Returns the prose of a delta: without NUL, and in the phases `reason` and `observe` without the JSON control
   * block, which is only for the service (rule: phase-control).
   */
  #proseOf(type: ParseDelta['type'], delta: string): string {
    const text = this.#separatorBefore(type) + withoutNul(delta); // an escape such as \u0000 may have become NUL
    this.#last = type;
    return this.#phase ? this.#phase.push(text) : text;
  }

  /** Emits the text that the phase reader still holds back: the beginning of a block that was never closed. */
  async #endPhase(): Promise<void> {
    const delta = this.#phase?.end() ?? '';
    this.#phase = undefined;
    await this.#emit(this.#last ?? 'draft', delta);
  }

  #roleOf(type: ParseDelta['type']): ParseDelta['type'] {
    return type === 'answer' && this.#answerIsThought ? 'thought' : type;
  }

  /**
   * Returns a paragraph break before an answer that continues a thought, and before the reasoning in the text if the
   * provider has also sent reasoning in a field of its own.
   */
  #separatorBefore(type: ParseDelta['type']): string {
    if (type === 'reasoning' && this.#reasonsApart) {
      this.#reasonsApart = false;
      return '\n\n';
    }
    return type === 'answer' && this.#answerIsThought ? this.#paragraphBreak() : '';
  }

  #paragraphBreak(): string {
    return this.#last === 'draft' || this.#last === 'thought' ? '\n\n' : '';
  }

  /**
   * Changes prose beside native calls to a thought. The parser would report it as an answer, because it contains no
   * written action.
   */
  #asThought({ type, delta }: ParseDelta): ParseDelta {
    return type === 'answer' ? { type: 'thought', delta: this.#paragraphBreak() + delta } : { type, delta };
  }
}
