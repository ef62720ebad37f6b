import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorCodes } from '../../../contract/error-codes.js';
import type { ErrorDetail } from '../../../contract/step.js';
import { stepError } from '../../../conversation/blank-step.js';
import { canRefuse } from '../owed-answers.js';
import { errorResponse } from './send-failure.js';

/** Connections that were ended over what never became a request, by the reason. */
export class RefusedConnections {
  readonly counts = { malformed: 0, head_too_large: 0, timeout: 0, too_many_requests: 0 };

  /** Counts what the parser objects to; that a caller has gone in the middle of its request is no refusal. */
  add({ code }: NodeJS.ErrnoException): void {
    if (code === 'HPE_HEADER_OVERFLOW') this.counts.head_too_large += 1;
    else if (code === 'ERR_HTTP_REQUEST_TIMEOUT') this.counts.timeout += 1;
    else if (code?.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE') this.counts.malformed += 1;
  }
}

/**
 * Answers what never became a request: headers too slow, too large, or no HTTP at all. Written by hand, since
 * there is no response object; nothing of what was sent is repeated.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || !canRefuse(socket)) {
    socket.destroy();
    return;
  }
  socket.end(error.code === 'HPE_HEADER_OVERFLOW' ? plain(431) : failure(error));
}

/** What the parser objects to is told by its own code, such as `HPE_INVALID_CHUNK_SIZE`: its list is closed. */
function whatIsWrong({ code }: NodeJS.ErrnoException): { code: ErrorCode; details: ErrorDetail[] } {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { code: 'request_timeout', details: [] };
  const parserCode = code?.startsWith('HPE_') ? ` (${code})` : '';
  const message = `the request is not well-formed HTTP${parserCode}`;
  return { code: 'invalid_request', details: [{ path: '', code: 'malformed_http', message }] };
}

const plain = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;

function failure(error: NodeJS.ErrnoException): string {
  const id = randomUUID();
  const { code, details } = whatIsWrong(error);
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
