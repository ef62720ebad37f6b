import { stepPath, streamPath } from '../../test/support/test-service.js';
import { key, llmConfig, stepRequest } from '../../test/support/whole-service.js';
import { startStack } from '../measure/stack-process.js';

/** One way from a caller to the provider. */
export interface Route {
  readonly url: (streamed: boolean) => string;
  readonly headers: Readonly<Record<string, string>>;
  /** A step for the service, the vendor's own request for a relay. */
  readonly body: (text: PromptText) => object;
  spentMs(): Promise<number>;
  stop(): void;
}

interface PromptText {
  /** A file; none where it is empty. */
  readonly context: string;
  readonly question: string;
  readonly streamed: boolean;
}

export type RouteName = 'direct' | 'ours' | 'relay' | 'floor' | 'portkey';
type Process = Parameters<typeof startStack>[0];

const relayPath = '/v1/chat/completions';

/** The ways to one provider, which sends its chunks with this pause. The first is no way round at all. */
export async function openRoutes(chunkEveryMs?: number): Promise<Record<RouteName, Route>> {
  const upstream = await startStack('upstream', chunkEveryMs === undefined ? {} : { chunkEveryMs });
  const upstreamUrl = upstream.url;
  const relayed = async (name: Process, headers: Record<string, string> = {}): Promise<Route> => {
    const stack = name === 'upstream' ? upstream : await startStack(name, { upstreamUrl });
    return {
      url: () => stack.url + relayPath,
      headers: { authorization: `Bearer ${key}`, ...headers },
      body: completionBody,
      spentMs: async () => (await stack.spent()).cpuMs,
      stop: stack.stop,
    };
  };
  const service = await startStack('stepwise', { upstreamUrl });
  const ours: Route = {
    url: (streamed) => service.url + (streamed ? streamPath : stepPath),
    headers: {},
    body: stepBody,
    spentMs: async () => (await service.spent()).cpuMs,
    stop: service.stop,
  };
  return {
    direct: await relayed('upstream'),
    ours,
    relay: await relayed('relay'),
    floor: await relayed('floor'),
    portkey: await relayed('portkey', {
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstreamUrl}/v1`,
    }),
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
