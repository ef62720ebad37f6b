import type { Preparation } from './request-state.js';

/** Allows web pages of the given origins to call the service (rule: cross-origin). */
export function cors(origins: readonly string[]): Preparation {
  return (request, response) => {
    response.vary('Origin');
    const origin = request.get('Origin');
    if (origin === undefined || !origins.includes(origin)) return;
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After',
    });
    if (request.method !== 'OPTIONS') return;
    response.set({
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers':
        'Content-Type, Authorization, X-LLM-API-Key, X-Request-Id, traceparent, tracestate',
      'Access-Control-Max-Age': '600',
    });
  };
}
