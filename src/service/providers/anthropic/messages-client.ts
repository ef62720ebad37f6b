import Anthropic from '@anthropic-ai/sdk';

type Fetch = typeof globalThis.fetch;
type Options = Parameters<Anthropic['buildRequest']>[0];

interface Sent {
  readonly body: Buffer;
  readonly fetch: Fetch;
}

/** The transport sets the headers. What stands here is not sent. */
const noHeaders = new Headers();

/**
 * The SDK's client, one for all requests to an upstream: it holds no key, and each request brings its own `fetch`. What
 * our transport does not need of it is left out: to build headers that are thrown away, and to watch the clock, costs
 * more than all the rest. Every option is explicit, so that no environment variable fills one in.
 */
export class MessagesClient extends Anthropic {
  constructor(baseURL: string) {
    super({
      baseURL,
      apiKey: 'set by the transport',
      authToken: null,
      webhookKey: null,
      openTelemetry: false,
      defaultHeaders: {},
      defaultQuery: {},
      fetchOptions: {},
      maxRetries: 0,
      logLevel: 'off',
    });
  }

  /** Sends one body of JSON. Resolves once its `fetch` has. */
  send(body: Buffer, fetch: Fetch): Promise<unknown> {
    const options = { body, fetch };
    return this.post('/v1/messages', options).asResponse();
  }

  override async buildRequest({
    method,
    path,
    body,
    fetch,
  }: Options & Sent): ReturnType<Anthropic['buildRequest']> {
    const req = { method, headers: noHeaders, body, fetch };
    return { req, url: this.buildURL(path, null), timeout: this.timeout };
  }

  override fetchWithTimeout(url: string, { fetch, ...init }: RequestInit & Pick<Sent, 'fetch'>) {
    return fetch(url, init);
  }
}
