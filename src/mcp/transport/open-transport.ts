import {
  type FetchLike,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { type HttpServer, isStdio, type McpServer } from '../mcp-server.js';
import { StdioTransport } from './stdio-transport.js';

/** In bytes, of one message: a result of 30,000 characters is what a model is shown of it. */
const MAX_MESSAGE = 10_000_000;

/** The way to a server; nothing is started or sent yet. Throws `TypeError` for an address that cannot be one. */
export function openTransport(server: McpServer, folder: string): Transport {
  return isStdio(server) ? new StdioTransport(server, folder) : openHttp(server);
}

/** The SDK follows redirects within the origin only: no header goes elsewhere. */
function openHttp({ type, url, headers }: HttpServer): Transport {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    throw new TypeError('its url is no http or https address');
  const options = { fetch: boundedFetch, requestInit: { headers: { ...headers } } };
  return type === 'sse'
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, options);
}

/** A message that never ends is not collected for ever. */
const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (!response.body) return response;
  const { status, statusText, headers } = response;
  const bounded = new Response(response.body.pipeThrough(boundMessages(headers)), {
    status,
    statusText,
    headers,
  });
  // A response that is made has no address, and a redirect is judged by it.
  Object.defineProperty(bounded, 'url', { value: response.url });
  return bounded;
};

/** A body of events may be long; each event is one message, and has its data on one line. */
function boundMessages(headers: Headers): TransformStream<Uint8Array, Uint8Array> {
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true;
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isEvents ? chunk.lastIndexOf(LINE_FEED) : -1;
      length = lineEnd < 0 ? length + chunk.length : chunk.length - lineEnd - 1;
      if (length > MAX_MESSAGE) controller.error(new Error(`A message of more than ${MAX_MESSAGE} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

const LINE_FEED = 10;
