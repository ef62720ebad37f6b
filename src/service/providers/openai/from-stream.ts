import { z } from 'zod';
import { isObject, list } from '../../../contract/fields.js';

const MAX_AT_ONCE = 192 * 1024;

import { type CompletionEvent, ProviderError } from '../../step/provider.js';
import { splitCalls } from '../native-calls.js';
import { RepeatedFrame } from '../repeated-frame.js';
import { parseAnswer, parseJson } from '../upstream/read-upstream-body.js';
import { ArrivedEvents, type ServerSentEvent, untilSilent } from '../upstream/server-sent-events.js';
import { Deltas, type SentDraft, type TextDelta } from '../vendor.js';
import { type ChatReply, toCompletion } from './from-response.js';
import { noCompletion } from './to-error.js';

const text = z.string().nullish();

const callDeltaSchema = z.object({
  index: z.int().nonnegative().nullish(),
  id: text,
  function: z.object({ name: text, arguments: text }).nullish(),
});

/** Of one chunk: models say one, or a handful. */
const MOST_CALL_DELTAS = 4_096;

const chunkSchema = z.object({
  model: text,
  choices: z.array(
    z.object({
      delta: z
        .object({
          content: text,
          refusal: text,
          reasoning_content: text.catch(null),
          reasoning: text.catch(null),
          tool_calls: list(callDeltaSchema, MOST_CALL_DELTAS).nullish(),
        })
        .nullish(),
      finish_reason: text,
    }),
  ),
  usage: z.custom<object>(isObject).nullish().catch(null),
});

type ChatChunk = z.output<typeof chunkSchema>;
type ChatChoice = ChatChunk['choices'][number];
type CallDelta = z.output<typeof callDeltaSchema>;

/**
 * Reads a Chat Completions stream to its `[DONE]`. If the connection ends before that, or falls silent, a
 * finish reason is enough: the reply is whole (rule: finish-reason). Without either it was cut.
 */
export async function* fromStream(
  stream: AsyncIterable<string>,
  draft: SentDraft,
  provider: string,
): AsyncGenerator<CompletionEvent, undefined> {
  const reply = new GrowingReply((data) => readChunk(data, draft, provider));
  let done = false;
  for await (const text of untilSilent(stream, () => reply.finishReason !== null)) {
    if (done) continue;
    const deltas = new Deltas();
    const events = new ArrivedEvents(text);
    try {
      for (let event = reply.next(events, deltas); event; event = reply.next(events, deltas)) {
        const { data } = event;
        done = data.startsWith('[DONE]');
        if (done) break;
        if (data.length > MAX_AT_ONCE) reply.add(await readLongChunk(data, draft, provider), deltas);
        else reply.take(event, deltas);
      }
    } finally {
      reply.tell(deltas);
      yield* deltas.events;
    }
    if (done) yield await completionOf(reply, draft, provider);
  }
  if (done) return;
  if (reply.begun && reply.finishReason === null) throw new ProviderError('unreachable', { provider });
  yield await completionOf(reply, draft, provider);
}

async function completionOf(
  reply: GrowingReply,
  draft: SentDraft,
  provider: string,
): Promise<CompletionEvent> {
  if (!reply.begun) throw new ProviderError('invalid_response', { provider, upstreamStatus: 200 });
  return { type: 'completion', completion: await toCompletion(reply.whole(), draft) };
}

/** OpenAI pads each chunk against those who watch how long they are. Without that most are alike. */
const PADDING = ',"obfuscation":"';

function readChunk(data: string, draft: SentDraft, provider: string): ChatChunk {
  return checkChunk(parseJson(data), draft, provider);
}

async function readLongChunk(data: string, draft: SentDraft, provider: string): Promise<ChatChunk> {
  return checkChunk(await parseAnswer(data), draft, provider);
}

function checkChunk(json: unknown, draft: SentDraft, provider: string): ChatChunk {
  const chunk = chunkSchema.safeParse(json);
  if (chunk.success) return chunk.data;
  throw noCompletion(json, { ...draft, provider });
}

function textsOf({ delta }: ChatChoice): TextDelta[] {
  const { content, reasoning_content, reasoning } = delta ?? {};
  const texts = [
    { type: 'reasoning', delta: reasoning_content ?? reasoning ?? '' },
    { type: 'text', delta: content ?? '' },
  ] as const;
  return texts.filter((text) => text.delta !== '');
}

/** More of a text, where a chunk holds nothing else. */
function onlyText({ choices, usage }: ChatChunk): TextDelta | undefined {
  const [choice] = choices;
  if (!choice || (choice.finish_reason ?? usage ?? null) !== null) return undefined;
  const texts = textsOf(choice);
  const { refusal, tool_calls } = choice.delta ?? {};
  return texts.length === 1 && !refusal && !tool_calls?.length ? texts[0] : undefined;
}

/** A reply while it arrives. */
class GrowingReply {
  begun = false;
  model: string | null | undefined;
  text = '';
  reasoning = '';
  refusal = '';
  finishReason: string | null = null;
  usage: ChatChunk['usage'] = null;
  readonly #calls = new Map<number, { id: string; name: string; arguments: string }>();
  readonly #read: (data: string) => ChatChunk;
  readonly #frame: RepeatedFrame<TextDelta>;

  constructor(read: (data: string) => ChatChunk) {
    this.#read = read;
    this.#frame = new RepeatedFrame((data) => onlyText(read(data)), PADDING);
  }

  whole(): ChatReply {
    const { read, unread } = splitCalls([...this.#calls.values()]);
    const { model, text, reasoning, refusal, finishReason, usage } = this;
    return { model, text, reasoning, refusal, finishReason, usage, toolCalls: read, unreadCalls: unread };
  }

  /** Takes the chunks that hold other texts and are like the last one else, and tells the one after them. */
  next(events: ArrivedEvents, deltas: Deltas): ServerSentEvent | undefined {
    const more = this.#frame.take(events);
    if (more) deltas.add(more);
    return events.next();
  }

  /** Takes a chunk. */
  take({ data, lines }: ServerSentEvent, deltas: Deltas): void {
    const chunk = this.#read(data);
    this.add(chunk, deltas);
    this.#frame.learn(lines, onlyText(chunk));
  }

  /** Takes a chunk that was read. */
  add({ choices, model, usage }: ChatChunk, deltas: Deltas): void {
    this.model ??= model;
    this.usage = usage ?? this.usage;
    const [choice] = choices;
    if (!choice) return;
    this.begun = true;
    this.finishReason = choice.finish_reason ?? this.finishReason;
    const { refusal, tool_calls } = choice.delta ?? {};
    for (const more of textsOf(choice)) deltas.add(more);
    this.refusal += refusal ?? '';
    for (const call of tool_calls ?? []) this.#addToCall(call);
  }

  /** Takes what the chunks that came together told. */
  tell({ events }: Deltas): void {
    for (const { type, delta } of events) this[type] += delta;
  }

  /** Servers that give no index begin a call with its id. */
  #addToCall({ index, id, function: called }: CallDelta): void {
    const position = index ?? this.#calls.size - (id ? 0 : 1);
    const call = this.#calls.get(position) ?? { id: '', name: '', arguments: '' };
    call.id ||= id ?? '';
    call.name ||= called?.name ?? '';
    call.arguments += called?.arguments ?? '';
    this.#calls.set(position, call);
  }
}
