import type { Request, RequestHandler, Response } from 'express';
import type { CallerLimits, Counted, Exceeded } from '../../operations/limits/caller-limits.js';
import { clientAddress } from '../../operations/limits/client-address.js';
import { RequestRefused } from '../failure/to-failure.js';
import { chargedTokens } from '../intake/metered-provider.js';
import { stateOf } from './request-state.js';

/** Applies the limits of each token, or of each address if there are no tokens (rules: rate-limit, token-limits). */
export function limitCallers(limits: CallerLimits): RequestHandler {
  return async (request, response, next) => {
    if (request.method === 'OPTIONS') return next();
    const counted = whoIsCounted(request, response);
    const exceeded = await limits.count(counted);
    // Without this check, a request whose caller has left in the meantime would count as concurrent for ever.
    if (response.destroyed) return;
    const refused = exceeded ?? limits.enter(counted);
    if (refused) {
      stateOf(response).limit = refused.limit;
      throw refusal(refused);
    }
    response.once('close', () => {
      limits.leave(counted);
      void limits.spend(counted, chargedTokens(stateOf(response).modelCalls));
    });
    next();
  };
}

function whoIsCounted(request: Request, response: Response): Counted {
  const { caller } = stateOf(response);
  if (caller) return { key: caller.name, allowance: caller.allowance };
  const address = clientAddress(request.ip) ?? clientAddress(request.socket.remoteAddress);
  return { key: address ?? 'unknown', allowance: {} };
}

const words: Readonly<Record<Exceeded['limit'], string>> = {
  requestsPerMinute: 'requests per minute',
  requestsAtOnce: 'concurrent requests',
  tokensPerDay: 'model tokens per day (UTC)',
};

function refusal({ limit, allowed, retryAfterMs }: Exceeded): RequestRefused {
  const message = `the limit is ${allowed} ${words[limit]}`;
  return new RequestRefused('rate_limited', [{ path: '', code: limit, message }], retryAfterMs);
}
