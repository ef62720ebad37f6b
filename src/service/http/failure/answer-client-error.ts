import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorCodes } from '../../../contract/error-codes.js';
import type { ErrorDetail } from '../../../contract/step.js';
import { stepError } from '../../../conversation/blank-step.js';
import { errorResponse } from './send-failure.js';

/** Numbers of closed connections on which no valid HTTP request arrived, by cause. */
export class RefusedConnections {
  readonly counts = { malformed: 0, head_too_large: 0, timeout: 0, too_many_requests: 0 };

  /** Counts an error of Node's HTTP parser. A caller that disconnects in the middle of its request is not counted. */
  add({ code }: NodeJS.ErrnoException): void {
    if (code === 'HPE_HEADER_OVERFLOW') this.counts.head_too_large += 1;
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') this.counts.timeout += 1;
    else if (code?.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') this.counts.malformed += 1;
  }
}

/**
 * Responds to a connection without a valid request: headers too slow, too large, or invalid HTTP. Writes to the
 * socket, because there is no response object, and repeats nothing that the caller sent. If the caller would
 * mistake the error for a part of the `pending` response or for the response to another request, closes the
 * connection after that response. Its caller may still be there: a `Content-Length` that is too small looks the same.
 */
export function answerClientError(
  error: NodeJS.ErrnoException,
  socket: Duplex,
  pending: ServerResponse | undefined,
): void {
  const isOfAnother = pending !== undefined && (pending.headersSent || pending.req.complete);
  const hasLeft = error.code === 'ECONNRESET' || (isOfAnother && error.code === 'HPE_INVALID_EOF_STATE');
  if (hasLeft || !socket.writable) socket.destroy();
  else if (isOfAnother) closeAfter(pending, socket);
  else socket.end(error.code === 'HPE_HEADER_OVERFLOW' ? plain(431) : failure(error));
}

function closeAfter(response: ServerResponse, socket: Duplex): void {
  response.shouldKeepAlive = false;
  response.once('close', () => socket.end());
}

/**
 * Returns the error code and details. The parser's own code, such as `HPE_INVALID_CHUNK_SIZE`, is safe to return,
 * because the parser has a fixed list.
 */
function problemOf({ code }: NodeJS.ErrnoException): { code: ErrorCode; details: ErrorDetail[] } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout', details: [] };
  const parserCode = code?.startsWith('HPE_') ? ` (${code})` : '';
  const message = `the request is not valid HTTP${parserCode}`;
  return { code: 'invalid_request', details: [{ path: '', code: 'malformed_http', message }] };
}

const plain = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;

function failure(error: NodeJS.ErrnoException): string {
  const id = randomUUID();
  const { code, details } = problemOf(error);
  const { status } = errorCodes[code];
  const body = JSON.stringify(errorResponse(stepError({ code, ...errorCodes[code] }, { details }), { id }));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
