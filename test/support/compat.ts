import OpenAI from 'openai';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParamsNonStreaming,
} from 'openai/resources/chat/completions';
import type { Script } from '../../src/offline/fake-provider.js';
import { startWholeService, type WholeService } from './whole-service.js';

/** A request of Chat Completions without the fields that `ask` adds. */
type ChatRequest = Partial<ChatCompletionCreateParamsNonStreaming>;

/** A model of an upstream that needs no key. Its prompts ask for calls written as text. */
export const textModel = 'local/qwen3:8b';

/** A PNG image of one pixel, in base64. */
export const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Returns the definition of a function tool whose parameters are all strings and all required. */
export const tool = (name: string, ...parameters: string[]) => ({
  type: 'function' as const,
  function: {
    name,
    description: `Runs ${name}.`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(parameters.map((each) => [each, { type: 'string' }])),
      required: parameters,
    },
  },
});

export const readFile = tool('read_file', 'path');

export const user = (content: string) => ({ role: 'user' as const, content });

/** Creates OpenAI's client for the service, without retries. */
export const clientOf = ({ url }: WholeService, options: object = {}): OpenAI =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: 'unused', maxRetries: 0, ...options });

/** The service in front of a scripted upstream, with OpenAI's client as its caller. */
export interface ChatService extends WholeService {
  readonly client: OpenAI;
  ask(script: Script, request?: ChatRequest, headers?: Record<string, string>): Promise<Asked>;
  stream(script: Script, request?: ChatRequest, headers?: Record<string, string>): Promise<Streamed>;
}

/** A response that is not streamed, with its headers. */
interface Asked {
  readonly completion: ChatCompletion;
  readonly message: ChatCompletion['choices'][number]['message'];
  readonly finish: string;
  readonly calls: readonly Call[];
  readonly headers: Headers;
}

/** A streamed response, with its deltas joined as clients do. */
interface Streamed {
  readonly chunks: readonly ChatCompletionChunk[];
  readonly text: string;
  readonly finish: string | null;
  readonly calls: readonly Call[];
  readonly headers: Headers;
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
}

export async function startChatService(environment: Record<string, string> = {}): Promise<ChatService> {
  const service = await startWholeService(undefined, environment);
  const client = clientOf(service);
  const complete = (request: ChatRequest) => ({ model: textModel, messages: [user('Look.')], ...request });
  return {
    ...service,
    client,
    async ask(script, request = {}, headers = {}) {
      service.fake.script(script);
      const { data, response } = await client.chat.completions
        .create({ ...complete(request), stream: false }, { headers })
        .withResponse();
      const [choice] = data.choices;
      if (!choice) throw new Error('The answer has no choice.');
      const calls = (choice.message.tool_calls ?? []).map((call) =>
        call.type === 'function'
          ? { id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) }
          : { id: call.id, name: call.custom.name, args: call.custom.input },
      );
      return {
        completion: data,
        message: choice.message,
        finish: choice.finish_reason,
        calls,
        headers: response.headers,
      };
    },
    async stream(script, request = {}, headers = {}) {
      service.fake.script(script);
      const { data, response } = await client.chat.completions
        .create({ ...complete(request), stream: true }, { headers })
        .withResponse();
      const chunks: ChatCompletionChunk[] = [];
      for await (const chunk of data) chunks.push(chunk);
      return { chunks, ...joined(chunks), headers: response.headers };
    },
  };
}

/** Joins the deltas of a stream. */
function joined(chunks: readonly ChatCompletionChunk[]) {
  const deltas = chunks.flatMap(({ choices: [choice] }) => choice?.delta ?? []);
  const calls: { id: string; name: string; args: string }[] = [];
  for (const part of deltas.flatMap(({ tool_calls: parts }) => parts ?? [])) {
    const call = calls[part.index] ?? { id: '', name: '', args: '' };
    calls[part.index] = {
      id: call.id + (part.id ?? ''),
      name: call.name + (part.function?.name ?? ''),
      args: call.args + (part.function?.arguments ?? ''),
    };
  }
  return {
    text: deltas.map(({ content }) => content ?? '').join(''),
    finish:
      chunks.findLast(({ choices: [choice] }) => choice?.finish_reason)?.choices[0]?.finish_reason ?? null,
    calls: calls.map(({ args, ...call }) => ({ ...call, args: JSON.parse(args) })),
  };
}

/** Resolves to the error that the client throws. */
export const failure = (answer: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> =>
  answer.then(
    () => {
      throw new Error('The request was expected to fail.');
    },
    (error) => error,
  );
