import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { ReceivedBytes } from '../../../network/received-bytes.js';
import { Interruption } from '../../step/interruption.js';
import { RequestRefused } from '../failure/to-failure.js';
import { type ConvertedJson, parseConverting } from './convert-json.js';
import { findJsonError, isJsonUpTo } from './find-json-error.js';
import { scanJson } from './json-hazards.js';
import type { Slot } from './slot.js';

/**
 * Returns the length that a request declares for its body; 0 if there is none, or if the body is too long to be
 * read.
 */
export function declaredBytes({ headers }: Request, { maxBytes }: Pick<BodyLimits, 'maxBytes'>): number {
  const length = Number(headers['content-length'] ?? 0);
  return length <= maxBytes ? length : 0;
}

export interface BodyLimits {
  readonly maxBytes: number;
  /** Time limit for the whole body, however slowly it arrives. */
  readonly timeoutMs: number;
}

interface ReadingOptions extends BodyLimits {
  /** True if NUL and integers beyond 2^53 are converted, not refused (rule: compatible-bodies). */
  readonly isLenient: boolean;
}

/**
 * Reads the JSON body of a request. Throws `RequestRefused`, or the signal's `Interruption`. Does not use
 * `express.json`, whose errors contain the whole raw body with the caller's key, and which reads an endless upload
 * to its end before rejecting it.
 */
export async function readBody(
  request: Request,
  options: ReadingOptions,
  slot: Slot,
): Promise<ConvertedJson> {
  requireJson(request);
  return parse(decode(await receive(request, options, slot)), slot, options);
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

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw notJson('not_utf8', 'not valid UTF-8');
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  if (text.trim() === '') throw notJson('empty_body', 'the body is empty; send the request as a JSON object');
  return text;
}

const notJson = (code: string, message: string): RequestRefused =>
  new RequestRefused('invalid_json', [{ path: '', code, message }]);

/**
 * Parses JSON text. If it has both a hazard (see `json-hazards.ts`) and a syntax error, reports the one that comes
 * first in the text.
 */
async function parse(text: string, slot: Slot, options: ReadingOptions): Promise<ConvertedJson> {
  const { hazard, overheadBytes, ...convertible } = scanJson(text, options);
  await yieldIfBusy(slot.signal);
  if (hazard && (await isJsonUpTo(text, hazard.at, slot.signal))) {
    throw new RequestRefused('invalid_request', [hazard.detail]);
  }
  slot.countRequest(overheadBytes);
  // Large integers need a second parse, whose values take as much memory.
  if (convertible.largeIntegers.length > 0) slot.countRequest(overheadBytes);
  try {
    return parseConverting(text, convertible);
  } catch {
    // The parser's own message would quote the body.
    throw notJson('syntax', await findJsonError(text, slot.signal));
  }
}

/** Maximum number of chunks of a body, because each takes far more time than its bytes suggest. */
const MAX_CHUNKS = 100_000;

const tooManyChunks = {
  path: '',
  code: 'too_many_chunks',
  message: `send the body in at most ${MAX_CHUNKS.toLocaleString('en')} chunks`,
};

/** Resolves to all bytes of the body, or rejects if it exceeds a limit; the rest of such a body stays unread. */
function receive(request: Request, { maxBytes, timeoutMs }: BodyLimits, slot: Slot): Promise<Buffer> {
  const { signal } = slot;
  const received = new ReceivedBytes();
  let chunks = 0;
  return new Promise((resolve, reject) => {
    const settle = (refusal?: unknown): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', settle).off('close', leave).off('error', leave);
      signal.removeEventListener('abort', interrupt);
      slot.endUpload({ isComplete: refusal === undefined });
      if (refusal === undefined) resolve(received.bytes);
      else {
        request.pause();
        reject(refusal);
      }
    };
    const interrupt = (): void => settle(signal.reason);
    const leave = (): void => settle(new Interruption('caller_left'));
    const take = (chunk: Buffer): void => {
      try {
        if (received.size + chunk.length > maxBytes) throw new RequestRefused('request_too_large');
        chunks += 1;
        if (chunks > MAX_CHUNKS) throw new RequestRefused('request_too_large', [tooManyChunks]);
        slot.countRequest(chunk.length);
        received.add(chunk);
      } catch (refusal) {
        settle(refusal);
      }
    };
    const timer = setTimeout(() => settle(new RequestRefused('request_timeout')), timeoutMs);
    signal.addEventListener('abort', interrupt);
    request.on('end', settle).on('close', leave).on('error', leave);
    if (Number(request.headers['content-length'] ?? 0) <= maxBytes) request.on('data', take);
    else settle(new RequestRefused('request_too_large'));
  });
}
