import type { RecordedStep } from '../../contract/recorded-step.js';
import type { StepError } from '../../contract/step.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import type { ContextSource, PinnedItem, SourceFile } from '../context/sources/context-source.js';
import type { StepDeadline } from '../step/interruption.js';
import { observeCalls } from '../step/observe-calls.js';
import type { Completion, CompletionRequest, Provider } from '../step/provider.js';
import type { reactStep, StepInput, StepResult } from '../step/react-step.js';
import type { StepDependencies } from '../step/step-dependencies.js';
import { readablePrompt } from '../step/to-preview.js';
import type { BegunStep, WatchedStep } from '../watching/watch-room.js';

/** Receives each step that a model answered. It must not throw, and the step does not wait for it. */
export type StepSink = (step: RecordedStep) => void;

/** Receives the beginning and the end of each step. Its functions must not throw, and the step does not wait for them. */
interface StepWatch {
  readonly begin: (step: BegunStep) => WatchedStep;
  /** Returns the code and the message of an error with which a step ended. */
  readonly explain: (thrown: unknown) => Pick<StepError, 'code' | 'message'>;
}

interface RecordingOptions {
  readonly sink?: StepSink | undefined;
  readonly watch?: StepWatch | undefined;
  /** Version of the service, which each record names. */
  readonly version: string;
}

/**
 * Wraps the step function: the returned function makes the same steps, but also reports each of them to `sink` and
 * `watch`, and to the caller if the request asks for its record. A step without a completion has no record. While
 * waiting for its model, a step that is recorded or watched keeps its request and its prompt in memory.
 */
export function recordingStep(
  step: typeof reactStep,
  { sink, watch, version }: RecordingOptions,
): typeof reactStep {
  const recordedStep: typeof reactStep = async (request, dependencies, observer) => {
    const recording = new Recording(dependencies, version);
    const watched = watch && beginWatched(request, dependencies, watch);
    const result = await step(request, recording.dependencies, observer).catch((thrown: unknown) => {
      watched?.threw(thrown);
      throw thrown;
    });
    const recorded = await recording.toStep(request, result);
    if (recorded) {
      sink?.(recorded);
      watched?.answered(recorded);
    } else if (result.error) watched?.failed(result.error);
    return recorded && request.include?.record ? { ...result, recorded_step: { ...recorded } } : result;
  };
  return (request, dependencies, observer) =>
    sink || watch || request.include?.record
      ? recordedStep(request, dependencies, observer)
      : step(request, dependencies, observer);
}

/**
 * Reports the beginning of a step to `watch`. A step that no HTTP request caused has no `origin` and is not watched.
 */
function beginWatched(
  { project_id: projectId, session_id: sessionId, llm_config }: StepInput,
  { origin, redact, deadline: { signal } }: StepDependencies,
  { begin, explain }: StepWatch,
) {
  if (!origin) return undefined;
  // A caller may have sent its key as the name of the model.
  const model = redact(llm_config.modelName);
  const watched = begin({ ...origin, projectId, sessionId, model, beganAt: new Date() });
  return {
    ...watched,
    threw(thrown: unknown): void {
      const { code, message } = explain(signal.aborted ? signal.reason : thrown);
      watched.failed({ code, message: redact(message) });
    },
  };
}

/** A byte in flight stands for 8 bytes of memory (docs/decisions/fairness.md), and a character takes up to 2. */
const CHARACTERS_PER_BYTE_IN_FLIGHT = 4;

/** Collects what one step read from its sources, sent to its provider and received from it. */
class Recording {
  /** The dependencies of the step to record, whose sources and provider report to this recording. */
  readonly dependencies: StepDependencies;
  readonly #files = new Map<string, SourceFile>();
  readonly #pinned = new Map<string, PinnedItem>();
  readonly #version: string;
  readonly #redact: StepDependencies['redact'];
  readonly #beganAt = new Date();
  readonly #began = performance.now();
  #sent: CompletionRequest | undefined;
  #completion: Completion | undefined;

  constructor(dependencies: StepDependencies, version: string) {
    this.#version = version;
    this.#redact = dependencies.redact;
    this.dependencies = {
      ...dependencies,
      sources: dependencies.sources.map((source) => this.#observe(source)),
      provider: this.#watch(dependencies.provider),
    };
  }

  /** Returns the record of the step; undefined if no model answered it. */
  async toStep(given: StepInput, result: StepResult): Promise<RecordedStep | undefined> {
    if (!this.#sent || !this.#completion) return undefined;
    const { user_api_keys: _, ...request } = given;
    const { completion_text: __, recorded_step: ___, ...response } = result;
    const { text, toolCalls } = this.#completion;
    const recorded: RecordedStep = {
      request: { ...request, inline_context: this.#gathered(given) },
      prompt: readablePrompt(this.#sent.prompt, this.#sent.nativeTools?.definitions ?? []),
      completion_text: text,
      ...(toolCalls.length > 0 && { completion_calls: toolCalls.map(toCall) }),
      response,
      parser_version: this.#version,
      began_at: this.#beganAt.toISOString(),
      duration_ms: Math.round(performance.now() - this.#began),
    };
    // Cast: only strings are replaced, so the type stays the same.
    return (await mapTexts(recorded, this.#redact)) as RecordedStep;
  }

  /** Returns the inline context of the request, with all files and pinned items that the sources returned. */
  #gathered({ inline_context: inline }: StepInput): StepInput['inline_context'] {
    const files = [...this.#files.values()].map(({ path, content }) => ({ path, content }));
    const pinned = [...this.#pinned.values()].map(({ id, title, content }) => ({ id, title, content }));
    if (files.length + pinned.length === 0) return inline;
    return {
      files: [...(inline?.files ?? []), ...files],
      pinned_items: [...(inline?.pinned_items ?? []), ...pinned],
    };
  }

  #observe(source: ContextSource): ContextSource {
    return {
      read: async (path, signal) => {
        const found = await source.read(path, signal);
        const files = found?.type === 'folder' ? found.files : found ? [found] : [];
        for (const file of files) this.#files.set(file.path, file);
        return found;
      },
      readPinned: async (id, signal) => {
        const found = await source.readPinned(id, signal);
        if (found) this.#pinned.set(id, { ...found, id });
        return found;
      },
    };
  }

  #watch(provider: Provider): Provider {
    return observeCalls(provider, ({ request, deadline }) => {
      this.#send(request, deadline);
      return {
        event: (event) => {
          if (event.type === 'completion') this.#completion = event.completion;
        },
      };
    });
  }

  /** Keeps the request. Reserves memory for what the sources returned, which other steps release here. */
  #send(request: CompletionRequest, deadline: StepDeadline): void {
    this.#sent = request;
    const kept = [...this.#files.values(), ...this.#pinned.values()];
    const characters = kept.reduce((sum, { content }) => sum + content.length, 0);
    deadline.countReply?.(Math.ceil(characters / CHARACTERS_PER_BYTE_IN_FLIGHT));
  }
}

const toCall = ({ id, name, arguments: args }: Completion['toolCalls'][number]) => ({
  id,
  name,
  arguments: args,
});

/**
 * Returns a copy of plain data whose texts, names of fields included, are mapped. Omits undefined fields. Lets other
 * requests go on in between, since a record may have a million texts.
 */
async function mapTexts(value: object | null, map: (text: string) => string): Promise<unknown> {
  if (value === null) return null;
  if (Array.isArray(value)) return mapItems(value, map);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  const values = fields.map(([, field]) => field);
  const mapped = await mapItems(values, map);
  return Object.fromEntries(fields.map(([name], index) => [map(name), mapped[index]]));
}

async function mapItems(items: readonly unknown[], map: (text: string) => string): Promise<unknown[]> {
  const mapped: unknown[] = [];
  for (const item of items) {
    const pause = yieldIfBusy();
    if (pause) await pause;
    if (typeof item === 'string') mapped.push(map(item));
    else mapped.push(typeof item === 'object' ? await mapTexts(item, map) : item);
  }
  return mapped;
}
