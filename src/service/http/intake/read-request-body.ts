import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import getRawBody from 'raw-body';
import { Interruption } from '../../agent/interruption.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { RequestRefused } from '../failure/to-failure.js';
import { findJsonError } from './find-json-error.js';
import { JsonHazard, MAX_AT_ONCE, refuseHazards, refuseNul } from './json-hazards.js';
import { SlicedJson } from './sliced-json.js';

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
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') {
    throw new RequestRefused('invalid_json', [
      { path: '', code: 'empty_body', message: 'the body is empty; send the request as a JSON object' },
    ]);
  }
  return { value: await parseJson(text, signal), bytes: bytes.length };
}

function requireJson({ headers }: Request): void {
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

/** What a slice of JSON costs of the share of the event loop: about two slices make a turn. */
const SLICE_WORK = 16 * 1024;

async function parseJson(text: string, signal: AbortSignal): Promise<unknown> {
  try {
    return text.length <= MAX_AT_ONCE ? parseAtOnce(text) : await parseInSlices(text, signal);
  } catch (error) {
    if (error instanceof JsonHazard) throw new RequestRefused('invalid_request', [error.detail]);
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's own message quotes the body.
    const message = await findJsonError(text, signal);
    throw new RequestRefused('invalid_json', [{ path: '', code: 'syntax', message }]);
  }
}

function parseAtOnce(text: string): unknown {
  refuseHazards(text);
  return JSON.parse(text);
}

async function parseInSlices(text: string, signal: AbortSignal): Promise<unknown> {
  const json = new SlicedJson(text);
  while (!json.advance()) await eventLoopShare.take(SLICE_WORK, signal);
  refuseNul(text);
  return json.value;
}

function receive(request: Request, limits: BodyLimits, signal: AbortSignal): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const interrupt = (): void => reject(signal.reason);
    signal.addEventListener('abort', interrupt, { once: true });
    const timer = setTimeout(() => reject(new RequestRefused('request_timeout')), limits.timeoutMs);
    getRawBody(request, { length: request.headers['content-length'] ?? null, limit: limits.maxBytes })
      .then(resolve, (error: unknown) => reject(asRefusal(error)))
      .finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', interrupt);
      });
  });
}

/** raw-body names what went wrong in `type`. */
function asRefusal(error: unknown): unknown {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  if (type === 'entity.too.large') return new RequestRefused('request_too_large');
  if (type === 'request.aborted') return new Interruption('caller_left');
  return error;
}
