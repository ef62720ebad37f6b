import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParamsNonStreaming } from '@anthropic-ai/sdk/resources/messages';
import type OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import type { ResponseCreateParamsNonStreaming } from 'openai/resources/responses/responses';
import { clientOf, textModel } from './compat.js';
import type { WholeService } from './whole-service.js';

export const wireNames = ['chat', 'responses', 'messages'] as const;
export type WireName = (typeof wireNames)[number];

/** Upstreams at the fake provider that need no key, one for each API that an upstream may speak. */
export const keylessUpstreams = {
  chat: { url: 'FAKE_URL/v1', keyRequired: false },
  responses: { url: 'FAKE_URL/v1', wire: 'responses', keyRequired: false },
  messages: { url: 'FAKE_URL', wire: 'messages', keyRequired: false },
} as const;

type Schema = Readonly<Record<string, unknown>>;

/** A request in vendor-independent terms, which each of the three APIs can express. */
export interface WireRequest {
  readonly text: string;
  readonly model?: string;
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly toolChoice?: 'required' | 'none' | { readonly name: string };
  readonly answerSchema?: Schema;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further fields for the body. */
  readonly fields?: object;
}

/** A response in the same vendor-independent terms. */
interface WireAnswer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly name: string; readonly args: unknown }[];
  /** Finish reason, status or stop reason, as the API calls it. */
  readonly end: string | null | undefined;
  /** Headers of the response; undefined for a stream. */
  readonly headers: Headers | undefined;
  /** The service's own report, which it adds if the request asks for it. */
  readonly stepwise: Stepwise | undefined;
}

interface Stepwise {
  readonly parse: { readonly outcome: string; readonly confidence: string; readonly problem: string | null };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly context_report: {
    readonly prompt_tokens: number;
    readonly items: readonly { readonly kind: string; readonly id: string; readonly status: string }[];
  };
}

/**
 * Returns a function that sends a request to one of the APIs through the vendor's own client. It can also read
 * streams.
 */
export function askerOf(service: WholeService) {
  const openai = clientOf(service);
  const anthropic = new Anthropic({ baseURL: service.url, apiKey: 'unused', maxRetries: 0 });
  return (wire: WireName, request: WireRequest, streamed = false): Promise<WireAnswer> => {
    if (wire === 'chat') return askChat(openai, request, streamed);
    return wire === 'responses'
      ? askResponses(openai, request, streamed)
      : askMessages(anthropic, request, streamed);
  };
}

const modelOf = ({ model = textModel }: WireRequest): string => model;

async function askChat(client: OpenAI, request: WireRequest, streamed: boolean): Promise<WireAnswer> {
  const { text, tools, toolChoice, answerSchema, headers, fields } = request;
  const body: Omit<ChatCompletionCreateParamsNonStreaming, 'stream'> = {
    model: modelOf(request),
    messages: [{ role: 'user', content: text }],
    ...(tools && {
      tools: tools.map(({ name, description, schema: parameters }) => ({
        type: 'function',
        function: { name, parameters, ...(description !== undefined && { description }) },
      })),
    }),
    ...(toolChoice && {
      tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', function: toolChoice },
    }),
    ...(answerSchema && {
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: answerSchema } },
    }),
    ...fields,
  };
  const options = { headers: { ...headers } };
  const stream = streamed ? client.chat.completions.stream(body, options) : undefined;
  const reasoning: string[] = [];
  // OpenAI's client keeps only the last delta of a field that it does not know.
  stream?.on('chunk', ({ choices: [choice] }) => void reasoning.push(reasoningIn(choice?.delta)));
  const { data, response } = stream
    ? { data: await stream.finalChatCompletion(), response: undefined }
    : await client.chat.completions.create(body, options).withResponse();
  const [choice] = data.choices;
  const calls = choice?.message.tool_calls ?? [];
  return {
    text: choice?.message.content ?? '',
    reasoning: stream ? reasoning.join('') : reasoningIn(choice?.message),
    calls: calls.flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, args: JSON.parse(call.function.arguments) }]
        : [],
    ),
    end: choice?.finish_reason,
    headers: response?.headers,
    stepwise: stepwiseIn(data),
  };
}

function reasoningIn(message: object | undefined): string {
  const { reasoning_content: reasoning = '' } = (message ?? {}) as { readonly reasoning_content?: string };
  return reasoning;
}

async function askResponses(client: OpenAI, request: WireRequest, streamed: boolean): Promise<WireAnswer> {
  const { text, tools, toolChoice, answerSchema, headers, fields } = request;
  const body: Omit<ResponseCreateParamsNonStreaming, 'stream'> = {
    model: modelOf(request),
    input: text,
    ...(tools && {
      tools: tools.map(({ name, description, schema }) => ({
        type: 'function',
        name,
        parameters: { ...schema },
        strict: false,
        ...(description !== undefined && { description }),
      })),
    }),
    ...(toolChoice && {
      tool_choice: typeof toolChoice === 'string' ? toolChoice : { type: 'function', ...toolChoice },
    }),
    ...(answerSchema && {
      text: { format: { type: 'json_schema', name: 'x', schema: { ...answerSchema } } },
    }),
    ...fields,
  };
  const options = { headers: { ...headers } };
  const { data, response } = streamed
    ? { data: await client.responses.stream(body, options).finalResponse(), response: undefined }
    : await client.responses.create(body, options).withResponse();
  const summaries = data.output.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
  return {
    text: data.output_text,
    reasoning: summaries.map((each) => each.text).join('\n\n'),
    calls: data.output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, args: JSON.parse(item.arguments) }] : [],
    ),
    end: data.status,
    headers: response?.headers,
    stepwise: stepwiseIn(data),
  };
}

async function askMessages(client: Anthropic, request: WireRequest, streamed: boolean): Promise<WireAnswer> {
  const { text, tools, toolChoice, answerSchema, headers, fields } = request;
  const body: MessageCreateParamsNonStreaming = {
    model: modelOf(request),
    max_tokens: 1_000,
    messages: [{ role: 'user', content: text }],
    ...(tools && {
      tools: tools.map(({ name, description, schema }) => ({
        name,
        input_schema: { ...schema, type: 'object' },
        ...(description !== undefined && { description }),
      })),
    }),
    ...(toolChoice && { tool_choice: choiceOfMessages(toolChoice) }),
    ...(answerSchema && { output_config: { format: { type: 'json_schema', schema: { ...answerSchema } } } }),
    ...fields,
  };
  const options = { headers: { ...headers } };
  let report: Stepwise | undefined;
  const stream = streamed ? client.messages.stream(body, options) : undefined;
  stream?.on('streamEvent', (event) => {
    report = stepwiseIn(event) ?? report;
  });
  const { data, response } = stream
    ? { data: await stream.finalMessage(), response: undefined }
    : await client.messages.create(body, options).withResponse();
  return {
    text: data.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: data.content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: data.content.flatMap((block) =>
      block.type === 'tool_use' ? [{ name: block.name, args: block.input }] : [],
    ),
    end: data.stop_reason,
    headers: response?.headers,
    stepwise: stepwiseIn(data) ?? report,
  };
}

function choiceOfMessages(choice: NonNullable<WireRequest['toolChoice']>) {
  if (typeof choice === 'object') return { type: 'tool' as const, name: choice.name };
  return { type: choice === 'required' ? ('any' as const) : ('none' as const) };
}

const stepwiseIn = (body: object): Stepwise | undefined => (body as { stepwise?: Stepwise }).stepwise;
