import type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  RawMessageStreamEvent,
  Usage,
} from '@anthropic-ai/sdk/resources/messages';
import { writeState } from '../client-state.js';
import { freeformText } from '../client-tools.js';
import type { Answer, AnswerCall, AnswerIdentity, StreamWriter, WireFailure } from '../wire.js';
import { writeMessagesFailure } from './messages-failure.js';

/** Writes an answer as one message (rule: messages-answers). */
export function writeMessage(answer: Answer): Message & { readonly stepwise?: object } {
  const { text, reasoning, report } = answer;
  return {
    ...emptyMessage(answer),
    content: [
      ...(reasoning === '' ? [] : [thinkingBlock(reasoning)]),
      ...(text === '' ? [] : [textBlock(text)]),
      ...closingBlocks(answer),
    ],
    ...endingOf(answer),
    usage: { ...noUsage, ...usageOf(answer) },
    ...(report && { stepwise: report }),
  };
}

/** Returns the blocks after the text: the calls, each after its provider state, or the provider state of the answer. */
function closingBlocks({ calls, providerState, refusal }: Answer): ContentBlock[] {
  return [
    ...(refusal ? [textBlock(refusal)] : []),
    ...stateBlocks(providerState),
    ...calls.flatMap((call) => [...stateBlocks(call.providerState), toolUse(call)]),
  ];
}

const thinkingBlock = (thinking: string): ContentBlock => ({ type: 'thinking', thinking, signature: '' });
/** Returns a text block. Its list of citations is empty, because `@ai-sdk/anthropic` 2 and 3 reject null. */
const textBlock = (text: string): ContentBlock => ({ type: 'text', text, citations: [] });

const stateBlocks = (state: unknown): ContentBlock[] =>
  state === undefined ? [] : [{ type: 'redacted_thinking', data: writeState(state) }];

const toolUse = ({ id, tool, parameters }: AnswerCall): ContentBlock => ({
  type: 'tool_use',
  id,
  name: tool.name,
  input: tool.kind === 'custom' ? freeformText(parameters) : parameters,
  caller: { type: 'direct' },
});

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  calls: 'tool_use',
  refusal: 'refusal',
} as const satisfies Record<Answer['end'], Message['stop_reason']>;

const endingOf = ({ end }: Answer) => ({
  container: null,
  stop_reason: stopReasons[end],
  stop_sequence: null,
  stop_details: null,
});

const noUsage: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_creation: null,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  inference_geo: null,
  output_tokens_details: null,
  server_tool_use: null,
  service_tier: null,
  speed: null,
};

/** In Anthropic's API, `input_tokens` excludes the tokens read from the cache, which have a field of their own. */
function usageOf({ usage }: Answer): MessageDeltaUsage & { readonly input_tokens: number } {
  const { input_tokens, output_tokens, cached_input_tokens: read, cache_write_tokens: written } = usage;
  return {
    input_tokens: Math.max(0, input_tokens - (read ?? 0) - (written ?? 0)),
    output_tokens,
    cache_creation_input_tokens: written ?? 0,
    cache_read_input_tokens: read ?? 0,
    output_tokens_details: null,
    server_tool_use: null,
  };
}

const emptyMessage = ({ id, model }: AnswerIdentity): Message => ({
  id: `msg_${id}`,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  container: null,
  diagnostics: null,
  stop_reason: null,
  stop_sequence: null,
  stop_details: null,
  usage: noUsage,
});

/** Writes an answer as a stream of events (rule: messages-answers). */
export class MessagesStream implements StreamWriter {
  readonly keepAlive = eventOf('ping', {});
  readonly #identity: AnswerIdentity;
  #open: 'text' | 'thinking' | undefined;
  /** Index of the open block, or of the next one if none is open. */
  #index = 0;

  constructor(identity: AnswerIdentity) {
    this.#identity = identity;
  }

  /** Clients take the size of the prompt from this event, long before the provider reports its own count. */
  begin(promptTokens: number): string {
    const message = emptyMessage(this.#identity);
    const usage = { ...message.usage, input_tokens: promptTokens };
    return write({ type: 'message_start', message: { ...message, usage } });
  }

  say(text: string): string {
    return this.#continue('text', textBlock('')) + this.#delta({ type: 'text_delta', text });
  }

  reason(thinking: string): string {
    const begun = this.#continue('thinking', thinkingBlock(''));
    return begun + this.#delta({ type: 'thinking_delta', thinking });
  }

  end(answer: Answer): string {
    const { report } = answer;
    return [
      this.#close(),
      ...closingBlocks(answer).map((block) => this.#whole(block)),
      write({
        type: 'message_delta',
        delta: endingOf(answer),
        usage: usageOf(answer),
        ...(report && { stepwise: report }),
      }),
      write({ type: 'message_stop' }),
    ].join('');
  }

  fail(failure: WireFailure): string {
    const { body } = writeMessagesFailure(failure);
    return eventOf('error', body);
  }

  /** Opens a block for deltas of a kind, unless one is open. */
  #continue(kind: 'text' | 'thinking', block: ContentBlock): string {
    if (this.#open === kind) return '';
    const closed = this.#close();
    this.#open = kind;
    return closed + this.#start(block);
  }

  #close(): string {
    return this.#open === undefined ? '' : this.#stop();
  }

  #stop(): string {
    this.#open = undefined;
    return write({ type: 'content_block_stop', index: this.#index++ });
  }

  #start(block: ContentBlock): string {
    return write({ type: 'content_block_start', index: this.#index, content_block: block });
  }

  #delta(delta: Extract<RawMessageStreamEvent, { type: 'content_block_delta' }>['delta']): string {
    return write({ type: 'content_block_delta', index: this.#index, delta });
  }

  /**
   * Writes a complete block, with its content as a delta, because clients read texts and arguments only from deltas.
   */
  #whole(block: ContentBlock): string {
    if (block.type === 'text')
      return (
        this.#start(textBlock('')) + this.#delta({ type: 'text_delta', text: block.text }) + this.#stop()
      );
    if (block.type !== 'tool_use') return this.#start(block) + this.#stop();
    const partial_json = JSON.stringify(block.input);
    return (
      this.#start({ ...block, input: {} }) +
      this.#delta({ type: 'input_json_delta', partial_json }) +
      this.#stop()
    );
  }
}

const write = (event: RawMessageStreamEvent & { readonly stepwise?: object }): string =>
  eventOf(event.type, event);

const eventOf = (type: string, fields: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
