import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { stepRequest } from './whole-service.js';

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** Headers as pairs of name and value, which may include duplicates. `Host` replaces the real one. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Body of a POST request; a valid step request by default. */
  readonly body?: unknown;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request whose headers `fetch` would not allow, such as a foreign Host or the same header twice. */
export async function sendRaw(url: string, given: RawRequest = {}): Promise<RawAnswer> {
  const { method = 'POST', path = '/api/agent/react_step', headers = [], body = stepRequest() } = given;
  const { hostname, port, host } = new URL(url);
  const sent = method === 'POST' ? JSON.stringify(body) : '';
  const isForeign = headers.some(([name]) => name === 'Host');
  const all = [
    ...(isForeign ? [] : ['Host', host]),
    ...(sent ? ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(sent))] : []),
    ...headers.flat(),
  ];
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ hostname, port, method, path, headers: all, agent: false }, resolve)
      .on('error', reject)
      .end(sent);
  });
  return { status: answer.statusCode ?? 0, headers: answer.headers, text: await text(answer) };
}
