import type { ErrorDetail } from '../../../contract/step.js';
import type { AccessTokens, TokenProblem } from '../../operations/access/access-tokens.js';
import { RequestRefused } from '../failure/to-failure.js';
import { isOfWire } from './paths.js';
import { type Preparation, stateOf } from './request-state.js';
import { tokensOfWires } from './wire-credentials.js';

/**
 * Rejects requests without a valid bearer token (rule: bearer-tokens), except OPTIONS, which browsers send without
 * one.
 */
export function requireToken(tokens: AccessTokens): Preparation {
  return (request, response) => {
    if (request.method === 'OPTIONS' || !guarded.test(request.path)) return;
    const sent = isOfWire(request.path) ? tokensOfWires(request) : request.headersDistinct['authorization'];
    const caller = tokens.identify(sent ?? []);
    if (typeof caller === 'string') {
      response.setHeader('WWW-Authenticate', challenges[caller] ?? 'Bearer');
      throw new RequestRefused('unauthenticated', [detailOf(caller)]);
    }
    stateOf(response).caller = caller;
  };
}

/** Paths that need a token, including those without a route. */
const guarded = /^\/(?:api|v1|metrics)(?:\/|$)/;

/** The `error` parameter is only sent to callers who sent a token (RFC 6750 §3.1). */
const INVALID_TOKEN = 'Bearer error="invalid_token"';
const challenges: Partial<Record<TokenProblem, string>> = { unknown: INVALID_TOKEN, expired: INVALID_TOKEN };

const messages: Readonly<Record<TokenProblem, string>> = {
  missing: 'send the header `Authorization: Bearer TOKEN` with a token of this service',
  repeated: 'send the Authorization header only once',
  malformed: 'expected `Bearer TOKEN`, where TOKEN is at most 512 letters, digits and -._~+/',
  model_key:
    'this looks like a model key: send it as X-LLM-API-Key, and a token of this service as Authorization',
  unknown: 'unknown token',
  expired: 'the token has expired; ask the operator of this service for a new one',
};

const detailOf = (problem: TokenProblem): ErrorDetail => ({
  path: 'Authorization',
  code: `${problem}_token`,
  message: messages[problem],
});
