import type { RequestHandler } from 'express';

/** Lets pages of the named origins call the service from a browser; all others stay shut out. */
export function cors(origins: readonly string[]): RequestHandler {
  return (request, response, next) => {
    response.vary('Origin');
    const origin = request.get('Origin');
    if (origin === undefined || !origins.includes(origin)) return next();
    response.set({
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Expose-Headers': 'X-Request-Id, Retry-After',
    });
    if (request.method !== 'OPTIONS') return next();
    response.set({
      'Access-Control-Allow-Methods': 'GET, POST',
      'Access-Control-Allow-Headers': 'Content-Type, Authorization, X-LLM-API-Key, X-Request-Id',
      'Access-Control-Max-Age': '600',
    });
    next();
  };
}
