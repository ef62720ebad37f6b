import { isObject } from '../../../contract/fields.js';
import { parseJson } from './read-upstream-body.js';

/** A body of JSON and the transport's `fetch` for it: the options of a request to an SDK's client. */
export interface SentBody {
  readonly body: Buffer;
  readonly fetch: typeof globalThis.fetch;
}

interface Client {
  readonly url: URL;
  /** The SDK's own error for an answer that is one. */
  errorOf(status: number, json: object, text: string | undefined, headers: Headers): Error;
}

/** Of what an SDK's promise is made of, nobody asks for more than the response. */
const unused = new AbortController();

/**
 * What our transport leaves of a request for an SDK to do: one `fetch`, and the error that an answer means. To build
 * headers that are thrown away, to describe each request to a log that is off and to watch the clock costs more than all
 * the rest.
 */
export async function exchange<Options>(given: Options | Promise<Options>, { url, errorOf }: Client) {
  const options = await given;
  // Whoever asks these clients sends this; the SDKs' types know of no `fetch` of one request.
  const { body, fetch } = options as SentBody;
  const response = await fetch(url, { body });
  if (response.ok) {
    return {
      response,
      options,
      controller: unused,
      requestLogID: '',
      retryOfRequestLogID: undefined,
      startTime: 0,
    };
  }
  const text = await response.text();
  const json = parseJson(text);
  const { status, headers } = response;
  throw isObject(json) ? errorOf(status, json, undefined, headers) : errorOf(status, {}, text, headers);
}
