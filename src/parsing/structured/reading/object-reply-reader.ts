import type { OfferedTool } from '../../arguments/offered-tool.js';
import type { ParseDelta } from '../../delta-writer.js';
import { IncrementalParser } from '../../incremental-parser.js';
import {
  addReasoning,
  type ParsedCompletion,
  type ParseOptions,
  parseCompletion,
  parseCompletionPausing,
} from '../../parse-completion.js';
import type { Pause } from '../../pause.js';
import { readExactJson } from '../../text/exact-json.js';
import type { ObjectScanner } from '../scanning/object-scanner.js';
import type { ScannedField, StringFragment } from '../scanning/scanned-strings.js';
import type { RestoreArguments } from '../schema/reply-schema.js';
import { asThought, cutByLimit, noAction } from './completions.js';
import { describeIntendedObject, type FoundObject, ObjectFinder } from './object-finder.js';
import { nestedAnswer, turnOf } from './outcomes.js';
import { type ObjectReading, readObject } from './read-object.js';
import { thoughtOf } from './scanned-reply.js';

/** A completely read reply, and the deltas that were held back until its end. */
export interface ObjectReply extends ObjectReading {
  readonly deltas: ParseDelta[];
}

export interface ReaderOptions {
  readonly tools: readonly OfferedTool[];
  readonly restoreArguments: RestoreArguments;
  /** The phase of the step, if the reply in this phase is a control object (rule: phase-control). */
  readonly phase: 'reason' | 'observe' | undefined;
  /** The key under which the reply schema has the answer; set if that schema may have constrained the reply. */
  readonly answerKey?: 'final_answer' | 'action' | undefined;
  /** True if the answer is a JSON value of any type instead of text (rule: typed-answers). */
  readonly hasJsonAnswer?: boolean;
}

/** Maximum number of objects for which the text before them is parsed to decide whether they may be the reply. */
const MAX_ATTEMPTS = 4;
/**
 * Maximum total number of characters parsed to decide whether an object may be the reply. Each attempt parses all text
 * before its object again, in one turn of the event loop, which takes up to 0.15 s.
 */
const MAX_PROBED = 2 ** 19;

/**
 * Reads a reply that is one JSON object, `{"thought", "action"}` or `{"thought", "final_answer"}`, while it arrives.
 * Deltas contain only the strings of thought and answer as the model writes them, and no other JSON text (rule:
 * object-reply). Any other reply is parsed as text. The result does not depend on how the text is split into chunks.
 */
export class ObjectReplyReader {
  readonly #options: ReaderOptions;
  readonly #chunks: string[] = [];
  /** Reads the text before the object, or the whole reply if there is no object. */
  readonly #parser: IncrementalParser;
  readonly #deltas = new EdgelessDeltas();
  /** The reply object, its position, and the parsed text before it. */
  #object: {
    readonly start: number;
    readonly scanner: ObjectScanner;
    readonly before: ParsedCompletion;
  } | null = null;
  #passed = 0;
  /** True if the caller wants deltas. */
  #wantsDeltas = true;
  readonly #finder = new ObjectFinder();
  #attempts = 0;
  #probed = 0;
  #decided: { readonly start: number; readonly isOutcome: boolean } | null = null;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.#parser = new IncrementalParser(options.tools);
  }

  /** True if the reply is an object, so that the deltas are text of its fields. */
  get readsObject(): boolean {
    return this.#object !== null;
  }

  /** Adds the next part of the reply and returns the deltas that can be sent. */
  push(text: string): ParseDelta[] {
    this.#chunks.push(text);
    if (this.#object) return this.#toDeltas(this.#object.scanner.push(text));
    this.#finder.push(text);
    return this.#seek();
  }

  /** Returns the parsed reply. */
  end({ reasoning = null, ...options }: ParseOptions = {}): ObjectReply {
    return this.#ended(this.#read(options), { reasoning, ...options });
  }

  /** Works as `end`, but awaits `pause` between parts of a reply that is no object. */
  async endPausing({ reasoning = null, ...options }: ParseOptions, pause: Pause): Promise<ObjectReply> {
    return this.#ended(await this.#readPausing(options, pause), { reasoning, ...options });
  }

  #ended(reading: ObjectReading, { reasoning = null, ...options }: ParseOptions): ObjectReply {
    const deltas = this.#remainingDeltas(reading, options);
    return { ...reading, completion: addReasoning(reading.completion, { reasoning }), deltas };
  }

  /** Returns the remaining deltas of the whole reply. */
  #remainingDeltas(reading: ObjectReading, options: ParseOptions): ParseDelta[] {
    const { completion, furtherThought: further } = reading;
    if (!this.#object) return [...this.#pass(this.#finder.held.length), ...this.#parser.finish(completion)];
    if (further && further !== completion.thought) this.#deltas.continue('thought', '\n');
    const thought = further ? this.#deltas.tell('thought', further) : [];
    return [...thought, ...this.#unsentAnswer(reading, options)];
  }

  /** Returns the answer if it was not sent before. */
  #unsentAnswer({ completion }: ObjectReading, { finishReason }: ParseOptions): ParseDelta[] {
    const { phase } = this.#options;
    if (this.#deltas.hasTold('answer') || finishReason === 'refusal' || phase === 'reason') return [];
    const isControl = phase === 'observe' && !completion.answerLabelled;
    if (!isControl && this.#isThought(completion)) return [];
    const answer = isControl ? this.#closingAnswer() : completion.answer;
    return completion.outcome === 'answer' && answer ? [{ type: 'answer', delta: answer }] : [];
  }

  /** Whether an answer without a key is the thought of the object, which was sent as it arrived. */
  #isThought({ answer, answerLabelled, thought }: ParsedCompletion): boolean {
    const { before, scanner } = this.#object ?? {};
    if (!before || !scanner || answerLabelled || answer === null || thought !== null) return false;
    return answer === thoughtOf({ before, scanner })?.trim();
  }

  /** Returns the answer of a control object that ends the run. */
  #closingAnswer(): string | undefined {
    const { scanner, start = 0 } = this.#object ?? {};
    if (!scanner?.fields.some(ends)) return undefined;
    const string = scanner.strings.get('final_answer')?.trim();
    if (string !== undefined || !this.#options.hasJsonAnswer) return string;
    const field = scanner.fields.find(({ key, first }) => key === 'final_answer' && first !== 'n');
    if (!field || field.end === null) return undefined;
    const written = this.#chunks.join('').slice(start + field.start, start + field.end);
    const { value } = readExactJson(written);
    return value === undefined ? undefined : JSON.stringify(value);
  }

  /** Reads a whole reply, given in parts, without deltas; awaits `pause` between the parts. */
  async read(parts: readonly string[], options: ParseOptions, pause: Pause): Promise<ObjectReading> {
    this.#wantsDeltas = false;
    for (const part of parts) {
      await pause();
      this.push(part);
    }
    return this.#readPausing(options, pause);
  }

  #read(options: ParseOptions): ObjectReading {
    const text = this.#chunks.join('');
    return (
      this.#readObject(text, options) ?? this.#plain(parseCompletion(text, this.#options.tools, options))
    );
  }

  async #readPausing(options: ParseOptions, pause: Pause): Promise<ObjectReading> {
    const text = this.#chunks.join('');
    const object = this.#readObject(text, options);
    return object ?? this.#plain(await parseCompletionPausing(text, this.#options.tools, options, pause));
  }

  /** Reads the object, or a reply that was cut off where an object may begin; undefined if there is none. */
  #readObject(text: string, options: ParseOptions): ObjectReading | undefined {
    if (this.#object) return readObject({ text, ...this.#object, ...this.#options }, options);
    const cut = this.#readCutStart(options);
    if (!cut) return undefined;
    this.#finder.pass(this.#finder.held.length); // Empties the finder, so that the text is never sent.
    return { completion: cut, isWhole: false };
  }

  #plain(completion: ParsedCompletion): ObjectReading {
    return { completion: this.#unread(completion), isWhole: false };
  }

  /** Adds advice to the completion of a reply without a readable object, if the text seems to contain one. */
  #unread(completion: ParsedCompletion): ParsedCompletion {
    const { outcome, answerLabelled, problem } = completion;
    const isPlain = outcome === 'answer' && !answerLabelled && problem === null;
    if (!isPlain || this.#options.phase !== undefined) return completion;
    return { ...completion, problem: describeIntendedObject(completion.answer) };
  }

  /** Reads a reply that the output limit cut off before it was certain whether an object had begun. */
  #readCutStart({ finishReason, reasoning }: ParseOptions): ParsedCompletion | undefined {
    const { held, isInOther } = this.#finder;
    if (finishReason !== 'length' || isInOther || !/^\s*(?:`{3,}\w*\s+)?\{/.test(held)) return undefined;
    const before = this.#proseBefore(this.#passed);
    if (!before) return undefined;
    const thought = [reasoning, before.reasoning].filter((part) => part?.trim()).join('\n\n') || null;
    const cut = cutByLimit({ text: this.#chunks.join(''), before }, before.answer);
    return { ...cut, reasoning: thought };
  }

  /** Passes on text that cannot belong to the object, and begins to read the object once it is found. */
  #seek(): ParseDelta[] {
    const deltas: ParseDelta[] = [];
    for (let next = this.#finder.next(); next !== null; next = this.#finder.next()) {
      const begun = typeof next === 'number' ? undefined : this.#begin(next);
      if (begun) return [...deltas, ...begun];
      deltas.push(...this.#pass(typeof next === 'number' ? next : next.brace + 1));
    }
    return deltas;
  }

  #pass(length: number): ParseDelta[] {
    this.#passed += length;
    const passed = this.#finder.pass(length);
    return this.#wantsDeltas ? this.#parser.push(passed) : [];
  }

  /**
   * Begins to read the object; undefined if an action at its position would not be read: in reasoning, in a quotation,
   * or after an action or answer.
   */
  #begin({ brace, isFenced, scanner, fragments }: FoundObject): ParseDelta[] | undefined {
    const start = this.#passed + brace;
    this.#attempts += 1;
    this.#probed += start;
    if (this.#attempts > MAX_ATTEMPTS || this.#probed > MAX_PROBED) return undefined;
    const inFence = this.#proseBefore(this.#passed);
    const before = inFence ?? (isFenced ? this.#proseBefore(start) : undefined);
    if (!before) return undefined;
    const passed = inFence ? [] : this.#pass(brace); // A fence line before the object is not part of the thought.
    this.#object = { start, scanner, before };
    const proseDeltas = this.#wantsDeltas ? this.#parser.finish(asThought(before)) : [];
    if (before.answer) this.#deltas.continue('thought', '\n');
    return [...passed, ...proseDeltas, ...this.#toDeltas(fragments)];
  }

  #proseBefore(place: number): ParsedCompletion | undefined {
    return readProseBefore(this.#chunks.join('').slice(0, place), this.#options.tools);
  }

  #toDeltas(fragments: readonly StringFragment[]): ParseDelta[] {
    if (!this.#wantsDeltas) return [];
    return fragments.flatMap(({ path, text, field }) => {
      if (path === 'thought') return this.#deltas.tell('thought', text);
      return answerPaths.has(path) && this.#hasContent(text) && this.#isOutcome(field)
        ? this.#deltas.tell('answer', text)
        : [];
    });
  }

  /**
   * Whether a text may be sent as part of an answer. Leading white space is not sent, and does not decide whether the
   * reply is an answer.
   */
  #hasContent(text: string): boolean {
    return this.#deltas.hasTold('answer') || text.trim() !== '';
  }

  /** Whether a field holds the answer that is the outcome of the reply. The result is cached for the last field. */
  #isOutcome({ start }: ScannedField): boolean {
    if (this.#decided?.start !== start) this.#decided = { start, isOutcome: this.#decide(start) };
    return this.#decided.isOutcome;
  }

  #decide(start: number): boolean {
    if (!this.#object) return false;
    const { fields } = this.#object.scanner;
    if (this.#options.phase === 'observe' && !fields.some(ends)) return false;
    const reply = { ...this.#object, text: this.#chunks.join(''), tools: this.#options.tools };
    const turn = turnOf(reply);
    return turn?.start === start && (turn.key !== 'action' || nestedAnswer(reply, turn) !== null);
  }
}

const answerPaths: ReadonlySet<string> = new Set(['final_answer', 'action.final_answer']);

/** Whether a field is `should_continue: false`. The answer may be sent only after it. */
const ends = ({ key, first }: ScannedField): boolean => key === 'should_continue' && first === 'f';

/** A tool that does not exist. `readProseBefore` replaces the object with a call of it. */
const probe: OfferedTool = { name: 'object_reply_probe', parameters: [] };

/**
 * Parses the text before an object to decide whether an action may follow it: appends a call of the tool `probe` in
 * place of the object. Undefined if the parser does not read that call, since it is in reasoning, in a quotation, or
 * after an action or answer.
 */
function readProseBefore(text: string, tools: readonly OfferedTool[]): ParsedCompletion | undefined {
  const offered = tools.length > 0 ? [...tools, probe] : [];
  const probed = parseCompletion(`${text}Action: ${probe.name}()`, offered);
  if (probed.action?.toolName !== probe.name) return undefined;
  const { reasoning, discarded, thought: answer } = probed;
  const common = { ...noAction, confidence: 'exact', reasoning, discarded, thought: null } as const;
  return answer === null ? { ...common, outcome: 'empty', answer } : { ...common, outcome: 'answer', answer };
}

type FieldType = Extract<ParseDelta['type'], 'thought' | 'answer'>;

/**
 * Builds deltas of fields without white space at the beginning and the end of a field. Trailing white space is held
 * back until the field continues.
 */
class EdgelessDeltas {
  readonly #gaps: Record<FieldType, string> = { thought: '', answer: '' };
  readonly #hasSent: Record<FieldType, boolean> = { thought: false, answer: false };

  /** Begins a further part of a field, which is separated from the text before it by `gap`. */
  continue(type: FieldType, gap: string): void {
    this.#gaps[type] = gap;
  }

  hasTold(type: FieldType): boolean {
    return this.#hasSent[type];
  }

  tell(type: FieldType, text: string): ParseDelta[] {
    const begun = this.#hasSent[type] ? text : text.trimStart();
    const solid = begun.trimEnd();
    if (solid === '') {
      if (this.#hasSent[type]) this.#gaps[type] += begun;
      return [];
    }
    const delta = this.#gaps[type] + solid;
    this.#gaps[type] = begun.slice(solid.length);
    this.#hasSent[type] = true;
    return [{ type, delta }];
  }
}
