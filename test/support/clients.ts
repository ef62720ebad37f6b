import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';

/** Creates the vendor's SDK with every option set explicitly, so that environment variables have no effect. */
export const openaiAt = (url: string): OpenAI =>
  new OpenAI({
    apiKey: 'sk-test-key',
    baseURL: `${url}/v1`,
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
  });

export const anthropicAt = (url: string): Anthropic =>
  new Anthropic({ apiKey: 'sk-ant-test-key', baseURL: url, maxRetries: 0, logLevel: 'off' });

const messages = [{ role: 'user' as const, content: 'Where is the discount?' }];

export const openaiRequest = { model: 'gpt-test', messages };
export const anthropicRequest = { model: 'claude-test', max_tokens: 100, messages };

export interface Call {
  readonly title: string;
  readonly streamed: boolean;
  readonly vendor: 'openai' | 'anthropic';
  /** Makes a call with the vendor's SDK. Resolves to the response, or to all events of the stream. */
  readonly ask: (url: string, signal?: AbortSignal) => Promise<unknown>;
}

/** Calls for the tests of faults: to both vendors, plain and streamed. */
export const calls: readonly Call[] = [
  {
    title: 'OpenAI, plain',
    vendor: 'openai',
    streamed: false,
    ask: (url, signal) => openaiAt(url).chat.completions.create(openaiRequest, { signal }),
  },
  {
    title: 'OpenAI, streamed',
    vendor: 'openai',
    streamed: true,
    ask: async (url, signal) =>
      collect(await openaiAt(url).chat.completions.create({ ...openaiRequest, stream: true }, { signal })),
  },
  {
    title: 'Anthropic, plain',
    vendor: 'anthropic',
    streamed: false,
    ask: (url, signal) => anthropicAt(url).messages.create(anthropicRequest, { signal }),
  },
  {
    title: 'Anthropic, streamed',
    vendor: 'anthropic',
    streamed: true,
    ask: async (url, signal) =>
      collect(await anthropicAt(url).messages.create({ ...anthropicRequest, stream: true }, { signal })),
  },
];

export async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}
