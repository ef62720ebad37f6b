import {
  type FetchLike,
  isJSONRPCRequest,
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { proxyFetch } from '../../network/proxies/fetch-via.js';
import { type HttpServer, isStdio, type McpServer } from '../mcp-server.js';
import { StdioTransport } from './stdio-transport.js';

/** Maximum size of one message in bytes. The model sees at most 30,000 characters of a result anyway. */
const MAX_MESSAGE_BYTES = 10_000_000;

/**
 * Creates the transport for a server, but does not start the server. Throws `TypeError` for an invalid URL or
 * proxy variable.
 */
export function openTransport(server: McpServer, folder: string): Transport {
  return isStdio(server) ? new StdioTransport(server, folder) : openHttp(server);
}

/**
 * Creates an HTTP transport. The SDK follows redirects only within the same origin, so no other origin receives
 * the headers.
 */
function openHttp({ type, url, headers }: HttpServer): Transport {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  if (address?.protocol !== 'http:' && address?.protocol !== 'https:')
    throw new TypeError('its url is not a valid http or https address');
  const options = { fetch: boundedFetch(proxyFetch()), requestInit: { headers: { ...headers } } };
  return type === 'sse' ? new SSEClientTransport(address, options) : new HttpTransport(address, options);
}

/** JSON-RPC error code of our own, for a reply that will not arrive. */
const NO_REPLY = -32_000;

/**
 * Streamable HTTP in which a request fails as soon as the stream of its reply ends. The SDK alone would wait for the
 * time limit of the call.
 */
class HttpTransport extends StreamableHTTPClientTransport {
  override send(
    message: JSONRPCMessage | JSONRPCMessage[],
    options?: Parameters<StreamableHTTPClientTransport['send']>[1],
  ): Promise<void> {
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const error = { code: NO_REPLY, message: 'its reply ended before the result' };
    // If the result has arrived, nothing waits for this id any more, and the SDK ignores the error.
    const onRequestStreamEnd = () => this.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
    return super.send(message, { ...options, onRequestStreamEnd });
  }
}

/**
 * A `fetch` whose response fails once a message in it is too long, so that an endless message cannot use up the
 * memory.
 */
const boundedFetch =
  (fetch: FetchLike): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const { status, statusText, headers } = response;
    const bounded = new Response(response.body.pipeThrough(boundMessages(headers)), {
      status,
      statusText,
      headers,
    });
    // The `url` of a constructed Response is empty, but the SDK needs it to check redirects.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };

/** Limits the size of each message. In an event stream, treats every line as a message; otherwise the whole body. */
function boundMessages(headers: Headers): TransformStream<Uint8Array, Uint8Array> {
  const isEvents = headers.get('content-type')?.startsWith('text/event-stream') === true;
  let length = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isEvents ? chunk.lastIndexOf(LINE_FEED) : -1;
      length = lineEnd < 0 ? length + chunk.length : chunk.length - lineEnd - 1;
      if (length > MAX_MESSAGE_BYTES)
        controller.error(new Error(`The server sent a message of more than ${MAX_MESSAGE_BYTES} bytes.`));
      else controller.enqueue(chunk);
    },
  });
}

const LINE_FEED = 10;
