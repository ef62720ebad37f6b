import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';

/** Answer of the service to one request of an agent. */
export interface Exchange {
  readonly path: string;
  readonly status: number;
  readonly contentType: string;
  /** Tokens of the prompt as the service counts them; 0 if the response does not report them. */
  readonly promptTokens: number;
  readonly answer: string;
}

/** A proxy in front of the service that keeps every answer. */
export interface Recorder {
  readonly url: string;
  /** The answers that were sent completely, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** Returns the number of requests that the agent gave up before it had the whole answer. */
  abandoned(): number;
  close(): Promise<void>;
}

/** Headers that belong to one connection, so the proxy does not forward them. */
const connectionHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'keep-alive',
]);

export async function startRecorder(serviceUrl: string): Promise<Recorder> {
  const exchanges: Exchange[] = [];
  let abandoned = 0;
  const server = createServer(async (request, response) => {
    const hungUp = new AbortController();
    response.once('close', () => hungUp.abort());
    try {
      const body = await buffer(request);
      const answer = await fetch(serviceUrl + request.url, {
        method: request.method ?? 'GET',
        headers: without(request.headers),
        ...(body.length > 0 && { body }),
        signal: hungUp.signal,
      });
      response.writeHead(answer.status, without(Object.fromEntries(answer.headers)));
      const parts: Buffer[] = [];
      for await (const part of answer.body ?? Readable.from([])) {
        parts.push(Buffer.from(part));
        response.write(part);
      }
      exchanges.push({
        path: new URL(request.url ?? '/', serviceUrl).pathname,
        status: answer.status,
        contentType: answer.headers.get('content-type') ?? '',
        promptTokens: Number(answer.headers.get('x-stepwise-prompt-tokens') ?? 0),
        answer: Buffer.concat(parts).toString(),
      });
      response.end();
    } catch {
      if (hungUp.signal.aborted) abandoned += 1;
      response.destroy();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exchanges,
    abandoned: () => abandoned,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function without(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined || connectionHeaders.has(name) ? [] : [[name, String(value)]],
    ),
  );
}
