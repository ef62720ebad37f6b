import type { Settings } from '../../src/service/settings/settings.js';
import { stepPath, streamPath } from '../../test/support/test-service.js';
import { key, llmConfig, stepRequest } from '../../test/support/whole-service.js';
import { type StackProcess, startStack } from '../measure/stack-process.js';

/** A path of requests from the benchmark to the provider: direct, or through one of the compared servers. */
export interface Route {
  readonly stack: StackProcess;
  readonly url: (streamed: boolean) => string;
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Returns the request body for a prompt: a step request for the route `ours`, a chat completion request for the
   * others.
   */
  readonly body: (text: PromptText) => object;
}

interface PromptText {
  /** Content of a context file; empty if the request has no file. */
  readonly context: string;
  readonly question: string;
  readonly streamed: boolean;
}

/**
 * Name of a route. `direct` calls the provider itself; `chat` sends chat completion requests to our service, as to a
 * relay.
 */
export type RouteName = 'direct' | 'ours' | 'chat' | 'relay' | 'portkey';

const relayPath = '/v1/chat/completions';

/** Opens every route to the same provider. Each stack runs in a fresh process. */
export async function openRoutes(): Promise<Record<RouteName, Route>> {
  const upstream = await startStack('upstream');
  return {
    direct: relayRoute(upstream),
    ours: await openOurs(upstream.url),
    chat: relayRoute(await startStack('stepwise', { upstreamUrl: upstream.url })),
    relay: await openRelay(upstream.url),
    portkey: relayRoute(await startStack('portkey'), {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream.url}/v1`,
    }),
  };
}

export async function openOurs(upstreamUrl: string, settings: Settings = {}): Promise<Route> {
  const stack = await startStack('stepwise', { upstreamUrl, settings });
  const url = (streamed: boolean): string => stack.url + (streamed ? streamPath : stepPath);
  return { stack, url, headers: {}, body: stepBody };
}

export async function openRelay(upstreamUrl: string): Promise<Route> {
  return relayRoute(await startStack('relay', { upstreamUrl }));
}

function relayRoute(stack: StackProcess, headers: Record<string, string> = {}): Route {
  return {
    stack,
    url: () => stack.url + relayPath,
    headers: { authorization: `Bearer ${key}`, ...headers },
    body: completionBody,
  };
}

function completionBody({ context, question, streamed }: PromptText): object {
  const messages = [{ role: 'user', content: context + question }];
  return { model: 'gpt-4.1', messages, ...(streamed && { stream: true }) };
}

function stepBody({ context, question }: PromptText): object {
  return {
    ...stepRequest(),
    user_query: question,
    llm_config: { ...llmConfig('openai'), modelName: 'gpt-4.1', tokenLimit: 64_000 },
    ...(context && {
      explicit_context_paths: ['src/main.ts'],
      inline_context: { files: [{ path: 'src/main.ts', content: context }] },
    }),
  };
}
