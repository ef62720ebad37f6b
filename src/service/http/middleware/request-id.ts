import { randomUUID } from 'node:crypto';
import type { Request } from 'express';
import { looksSecret, Secret } from '../../providers/secret.js';

/**
 * Returns the id of a request: the caller's if it is harmless in headers and logs, otherwise a new one
 * (rule: request-log). An id that looks like a vendor's key or one of our tokens, or contains a secret of the same
 * request or of a gateway, is replaced.
 */
export function readRequestId(
  request: Request,
  gatewaySecrets: readonly Secret[],
): { id: string; isSentId: boolean } {
  const id = request.get('X-Request-Id');
  const isKept = id && isHarmless(id, request) && gatewaySecrets.every((secret) => secret.redact(id) === id);
  return isKept ? { id, isSentId: true } : { id: randomUUID(), isSentId: false };
}

const isHarmless = (id: string, request: Request): boolean =>
  /^[\w.-]{1,128}$/.test(id) &&
  !looksSecret(id) &&
  !secretsOf(request).some((secret) => holdsSecret(id, secret));

/**
 * Returns whether a text contains a secret or its first or last characters, raw or encoded. Ignores case, because
 * hexadecimal digits may be capitals.
 */
export function holdsSecret(text: string, secret: string): boolean {
  const lower = text.toLowerCase();
  return isRedacted(text, secret) || isRedacted(lower, secret.toLowerCase()) || holdsHexOf(lower, secret);
}

const holdsHexOf = (lower: string, secret: string): boolean =>
  [secret.slice(0, 8), secret.slice(-8)].some((end) => lower.includes(Buffer.from(end).toString('hex')));

const isRedacted = (text: string, secret: string): boolean =>
  (Secret.parse(secret)?.redact(text) ?? text).replaceAll(secret, '') !== text;

/** Returns the keys, tokens and passwords in the headers of a request, including those in repeated headers. */
function secretsOf({ headersDistinct }: Request): string[] {
  const authorization = headersDistinct['authorization'] ?? [];
  return [
    ...keyHeaders.flatMap((name) => headersDistinct[name] ?? []).map((value) => value.replace(PREFIX, '')),
    ...authorization.map((header) => header.replace(SCHEME, '').replace(PREFIX, '')),
    ...authorization.flatMap(passwordIn),
  ].filter((secret) => secret !== '');
}

/**
 * Headers whose whole value is a key or a token, without a scheme. Clients also send them to paths that do not
 * read them.
 */
const keyHeaders = ['x-llm-api-key', 'x-api-key', 'api-key', 'x-stepwise-token'];

const SCHEME = /^\S+ +/;
/**
 * The prefix of every token. It is removed before the search, because otherwise any id with this prefix would seem to
 * contain a token.
 */
const PREFIX = /^stepwise_/i;

/** Returns the password of a `Basic` header: user and password in base64 (RFC 7617). */
function passwordIn(header: string): string[] {
  const encoded = /^basic +(\S+)$/i.exec(header)?.[1];
  if (encoded === undefined) return [];
  const [, ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return [password.join(':').replace(PREFIX, '')];
}
