import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { JsonHazard, MAX_AT_ONCE, refuseHazards, refuseNul } from '../../json/json-hazards.js';
import { parseInTurns } from '../../json/sliced-json.js';
import { Interruption } from '../../step/interruption.js';
import { RequestRefused } from '../failure/to-failure.js';
import { findJsonError, isJsonUpTo } from './find-json-error.js';

export interface BodyLimits {
  readonly maxBytes: number;
  /** For the whole body, however it drips. */
  readonly timeoutMs: number;
}

/**
 * The JSON body of a request. Throws `RequestRefused`, or the signal's `Interruption`. Read without
 * `express.json`: its errors carry the whole raw body, which holds the caller's key, and it reads an endless
 * upload to its end before it refuses.
 */
export async function readBody(
  request: Request,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<{ readonly value: unknown; readonly bytes: number }> {
  requireJson(request);
  const bytes = await receive(request, limits, signal);
  if (!isUtf8(bytes)) {
    throw new RequestRefused('invalid_json', [{ path: '', code: 'not_utf8', message: 'not valid UTF-8' }]);
  }
  return { value: await readValue(bytes, signal), bytes: bytes.length };
}

async function readValue(bytes: Buffer, signal: AbortSignal): Promise<unknown> {
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') {
    throw new RequestRefused('invalid_json', [
      { path: '', code: 'empty_body', message: 'the body is empty; send the request as a JSON object' },
    ]);
  }
  return parseOrExplain(text, signal);
}

function requireJson({ headers }: Request): void {
  // what nearly all callers send
  if (headers['content-type'] === 'application/json' && headers['content-encoding'] === undefined) return;
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  const isJson = type.trim() === 'application/json' && (!charset || /^charset="?utf-?8"?$/.test(charset));
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  const details = [...(isJson ? [] : [wrongType]), ...(isPlain ? [] : [wrongEncoding])];
  if (details.length > 0) throw new RequestRefused('unsupported_media_type', details);
}

const wrongType = {
  path: 'Content-Type',
  code: 'wrong_header',
  message: 'send the header Content-Type: application/json',
};
const wrongEncoding = {
  path: 'Content-Encoding',
  code: 'wrong_header',
  message: 'send the body uncompressed, without the header Content-Encoding',
};

/** What a character of JSON books of the event loop when it is looked through or copied. */
const LOOKING = 1 / 64;

/** Of two faults, the one that stands first in the text is told, however long the text is. */
async function parseOrExplain(text: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await parse(text, signal);
  } catch (error) {
    if (error instanceof JsonHazard && (await isJsonUpTo(text, error.at, signal))) {
      throw new RequestRefused('invalid_request', [error.detail]);
    }
    if (!(error instanceof JsonHazard || error instanceof SyntaxError)) throw error;
    // The parser's own message quotes the body.
    const message = await findJsonError(text, signal);
    throw new RequestRefused('invalid_json', [{ path: '', code: 'syntax', message }]);
  }
}

function parse(text: string, signal: AbortSignal): unknown {
  return text.length <= MAX_AT_ONCE ? parseAtOnce(text) : parseInSlices(text, signal);
}

function parseAtOnce(text: string): unknown {
  refuseHazards(text);
  return JSON.parse(text);
}

async function parseInSlices(text: string, signal: AbortSignal): Promise<unknown> {
  let value: unknown;
  try {
    await eventLoopShare.spent(LOOKING * text.length, signal); // to decode it
    value = await parseInTurns(text, { signal });
  } catch (error) {
    // What stands first in the text is refused, and the slices do not look for it.
    if (error instanceof SyntaxError) refuseNul(text);
    throw error;
  }
  refuseNul(text);
  return value;
}

/** All bytes of the body, as long as it is within its limits; a body that is not stays unread. */
function receive(
  request: Request,
  { maxBytes, timeoutMs }: BodyLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const settle = (refusal?: unknown): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', settle).off('close', leave).off('error', leave);
      signal.removeEventListener('abort', interrupt);
      if (refusal === undefined)
        resolve(pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces));
      else {
        request.pause();
        reject(refusal);
      }
    };
    const interrupt = (): void => settle(signal.reason);
    const leave = (): void => settle(new Interruption('caller_left'));
    const take = (piece: Buffer): void => {
      size += piece.length;
      if (size > maxBytes) settle(new RequestRefused('request_too_large'));
      else pieces.push(piece);
    };
    const timer = setTimeout(() => settle(new RequestRefused('request_timeout')), timeoutMs);
    signal.addEventListener('abort', interrupt);
    request.on('end', settle).on('close', leave).on('error', leave);
    if (Number(request.headers['content-length'] ?? 0) <= maxBytes) request.on('data', take);
    else settle(new RequestRefused('request_too_large'));
  });
}
