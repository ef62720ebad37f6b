import Anthropic, { APIPromise } from '@anthropic-ai/sdk';
import { exchange, type SentBody } from '../upstream/sdk-exchange.js';

const PATH = '/v1/messages';

/**
 * The SDK's client, one for all requests to an upstream: it holds no key, and each request brings its own `fetch`. Every
 * option is explicit, so that no environment variable fills one in.
 */
export class MessagesClient extends Anthropic {
  readonly #exchange;

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
    this.#exchange = {
      url: new URL(this.buildURL(PATH, null)),
      errorOf: this.makeStatusError.bind(this),
    };
  }

  /** Sends one body of JSON. Resolves once its `fetch` has; throws the SDK's error for an answer that is one. */
  send(request: SentBody): Promise<unknown> {
    return this.post(PATH, request).asResponse();
  }

  override request<Result>(options: Parameters<Anthropic['request']>[0]): APIPromise<Result> {
    return new APIPromise<Result>(this, exchange(options, this.#exchange));
  }
}
