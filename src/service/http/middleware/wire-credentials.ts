import type { Request } from 'express';
import type { AccessTokens } from '../../operations/access/access-tokens.js';

/**
 * Returns the headers of a request below `/v1` that may contain its bearer token, each in the form of an
 * `Authorization` header (rule: compatible-keys).
 */
export function tokensOfWires({ headersDistinct }: Pick<Request, 'headersDistinct'>): string[] {
  const own = headersDistinct['x-stepwise-token'];
  if (own) return own.map(asBearer);
  const authorization = headersDistinct['authorization']?.filter(isBearer) ?? [];
  if (authorization.length > 0) return authorization;
  return (headersDistinct['x-api-key'] ?? []).map(asBearer);
}

/**
 * Returns the model key of a request below `/v1`. Never returns a bearer token of the service, whichever header
 * contains it (rule: compatible-keys).
 */
export function modelKeyOf(
  { headersDistinct }: Pick<Request, 'headersDistinct'>,
  tokens: Pick<AccessTokens, 'identify'> | undefined,
): string | undefined {
  const named = headersDistinct['x-llm-api-key'] ?? [];
  const others = [
    ...(headersDistinct['x-api-key'] ?? []),
    ...(headersDistinct['authorization'] ?? [])
      .filter(isBearer)
      .map((header) => header.replace(BEARER, '').trim()),
  ];
  const mayBeOther = !tokens || headersDistinct['x-stepwise-token'] !== undefined;
  const isKey = (text: string): boolean =>
    text !== '' &&
    !/^stepwise_/i.test(text) &&
    typeof (tokens?.identify([asBearer(text)]) ?? '') === 'string';
  return [...named, ...(mayBeOther ? others : [])].find(isKey);
}

const BEARER = /^bearer +/i;
const isBearer = (header: string): boolean => BEARER.test(header);
const asBearer = (token: string): string => `Bearer ${token}`;
