import type { Request } from 'express';
import { isOfWire, watchPath } from './paths.js';
import type { Preparation } from './request-state.js';

const ALLOWED = 'Content-Type, Authorization, X-LLM-API-Key, X-Request-Id, traceparent, tracestate';
const EXPOSED = 'X-Request-Id, Retry-After';
const EXPOSED_OF_WIRES =
  'X-Stepwise-Prompt-Tokens, X-Stepwise-Left-Out, X-Stepwise-Parse, X-Stepwise-Warnings, X-Should-Retry, Request-Id';

/**
 * Returns the header names that a page asks to send; undefined if they are malformed. All names are allowed,
 * because the vendors' SDKs send a dozen of their own, which the service ignores.
 */
function requestedHeaders(request: Request): string | undefined {
  const names = request.get('Access-Control-Request-Headers');
  return names !== undefined && /^[\w-]+(?: *, *[\w-]+){0,63}$/.test(names) ? names : undefined;
}

/** Allows web pages of the given origins to call the service (rule: cross-origin), but not to watch it (rule: watch). */
export function cors(origins: readonly string[]): Preparation {
  return (request, response) => {
    if (request.path === watchPath) return;
    response.vary('Origin');
    const origin = request.get('Origin');
    if (origin === undefined || !origins.includes(origin)) return;
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': isOfWire(request.path) ? `${EXPOSED}, ${EXPOSED_OF_WIRES}` : EXPOSED,
    });
    if (request.method !== 'OPTIONS') return;
    response.set({
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': (isOfWire(request.path) && requestedHeaders(request)) || ALLOWED,
      'Access-Control-Max-Age': '600',
    });
  };
}
