import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ErrorCode, errorCodes } from '../../../contract/error-codes.js';
import { stepError } from '../../../conversation/blank-step.js';
import { errorResponse } from './send-failure.js';

/**
 * Answers what never became a request: headers too slow, too large, or no HTTP at all. Written by hand, since
 * there is no response object; nothing of what was sent is repeated.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunToAnswer(socket)) {
    socket.destroy();
    return;
  }
  socket.end(error.code === 'HPE_HEADER_OVERFLOW' ? plain(431) : failure(codeOf(error)));
}

const codeOf = (error: NodeJS.ErrnoException): ErrorCode =>
  error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'request_timeout' : 'invalid_request';

/** A second answer on the same connection would be taken for the answer to another request. */
function hasBegunToAnswer(socket: Duplex): boolean {
  return 'bytesWritten' in socket && typeof socket.bytesWritten === 'number' && socket.bytesWritten > 0;
}

const plain = (status: number): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`;

function failure(code: ErrorCode): string {
  const id = randomUUID();
  const { status } = errorCodes[code];
  const body = JSON.stringify(errorResponse(stepError({ code, ...errorCodes[code] }), { id }));
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
