import type { ChatCompletion, ChatCompletionChunk } from 'openai/resources/chat/completions';
import { freeformText } from '../client-tools.js';
import { writeOpenAiFailure } from '../openai-failure.js';
import type { Answer, AnswerCall, AnswerIdentity, StreamWriter, WireFailure } from '../wire.js';
import { detailsOf, extraContentOf } from './chat-state.js';

type ToolCall = NonNullable<ChatCompletion.Choice['message']['tool_calls']>[number];
type FinishReason = ChatCompletion.Choice['finish_reason'];

/** Writes an answer as one Chat Completion (rule: chat-answers). */
export function writeChat(answer: Answer): ChatCompletion & { readonly stepwise?: object } {
  const { text, reasoning, refusal, calls, report } = answer;
  const message = {
    role: 'assistant' as const,
    content: text === '' && (calls.length > 0 || refusal !== null) ? null : text,
    refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls.map(toToolCall) }),
    ...detailsOf(answer.providerState),
  };
  return {
    ...headOf(answer),
    object: 'chat.completion',
    choices: [{ index: 0, message, finish_reason: finishReasonOf(answer), logprobs: null }],
    usage: usageOf(answer),
    ...(report && { stepwise: report }),
  };
}

const headOf = ({ id, createdAt, model }: AnswerIdentity) => ({
  id: `chatcmpl-${id}`,
  created: createdAt,
  model,
});

const finishReasons = {
  stop: 'stop',
  length: 'length',
  calls: 'tool_calls',
  refusal: 'stop',
} as const satisfies Record<Answer['end'], FinishReason>;

/** Returns OpenAI's finish reason: `stop` for a refusal with a text, `content_filter` for one without. */
const finishReasonOf = ({ end, refusal }: Answer): FinishReason =>
  refusal === '' ? 'content_filter' : finishReasons[end];

function toToolCall({ id, tool, parameters, argumentsText, providerState }: AnswerCall): ToolCall {
  const state = extraContentOf(providerState);
  if (tool.kind === 'custom')
    return { id, type: 'custom', custom: { name: tool.name, input: freeformText(parameters) }, ...state };
  return {
    id,
    type: 'function',
    function: { name: tool.name, arguments: argumentsText },
    ...state,
  };
}

function usageOf({ usage }: Answer): NonNullable<ChatCompletion['usage']> {
  const { input_tokens, output_tokens, cached_input_tokens, reasoning_tokens, cost } = usage;
  return {
    prompt_tokens: input_tokens,
    completion_tokens: output_tokens,
    total_tokens: input_tokens + output_tokens,
    prompt_tokens_details: { cached_tokens: cached_input_tokens ?? 0 },
    completion_tokens_details: { reasoning_tokens: reasoning_tokens ?? 0 },
    ...(cost !== null && { cost }),
  };
}

type Delta = ChatCompletionChunk.Choice['delta'] & {
  readonly reasoning_content?: string;
  readonly reasoning_details?: readonly object[];
};

/** Writes an answer as a stream of chunks (rule: chat-answers). */
export class ChatStream implements StreamWriter {
  readonly #identity: AnswerIdentity;
  readonly #includesUsage: boolean;

  constructor(identity: AnswerIdentity, includesUsage: boolean) {
    this.#identity = identity;
    this.#includesUsage = includesUsage;
  }

  begin(): string {
    return this.#chunk({ role: 'assistant', content: '' });
  }

  say(delta: string): string {
    return this.#chunk({ content: delta });
  }

  reason(delta: string): string {
    return this.#chunk({ reasoning_content: delta });
  }

  end(answer: Answer): string {
    const { calls, refusal, report } = answer;
    const ended = this.#chunk(
      {},
      finishReasonOf(answer),
      report && !this.#includesUsage ? report : undefined,
    );
    return [
      ...(refusal ? [this.#chunk({ refusal })] : []),
      ...(answer.providerState === undefined ? [] : [this.#chunk(detailsOf(answer.providerState))]),
      ...calls.flatMap((call, index) => this.#call(call, index)),
      ended,
      ...(this.#includesUsage ? [this.#usage(answer)] : []),
      'data: [DONE]\n\n',
    ].join('');
  }

  fail(failure: WireFailure): string {
    return `data: ${JSON.stringify(writeOpenAiFailure(failure).body)}\n\n`;
  }

  /** Writes a call as two chunks, as clients expect: id and name, then the arguments. */
  #call(call: AnswerCall, index: number): string[] {
    const { id, tool, argumentsText } = call;
    if (tool.kind === 'custom')
      return [this.#chunk({ tool_calls: [{ index, ...toToolCall(call) } as never] })];
    const state = extraContentOf(call.providerState);
    const head = {
      index,
      id,
      type: 'function' as const,
      function: { name: tool.name, arguments: '' },
      ...state,
    };
    const written = { index, function: { arguments: argumentsText } };
    return [this.#chunk({ tool_calls: [head] }), this.#chunk({ tool_calls: [written] })];
  }

  #usage(answer: Answer): string {
    const { report } = answer;
    return this.#write({ choices: [], usage: usageOf(answer), ...(report && { stepwise: report }) });
  }

  #chunk(delta: Delta, finish: FinishReason | null = null, stepwise?: object): string {
    const choices = [{ index: 0, delta, finish_reason: finish, logprobs: null }];
    return this.#write({
      choices,
      ...(this.#includesUsage && { usage: null }),
      ...(stepwise && { stepwise }),
    });
  }

  #write(fields: Pick<ChatCompletionChunk, 'choices' | 'usage'> & { readonly stepwise?: object }): string {
    const chunk = { ...headOf(this.#identity), object: 'chat.completion.chunk', ...fields };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}
