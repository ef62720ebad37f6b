import { hash, randomBytes } from 'node:crypto';

/** Prefix of every token, by which people and secret scanners recognise it. */
const TOKEN_PREFIX = 'stepwise_';

const RANDOM_BYTES = 32;

/** Creates an unguessable token. Only its digest is stored. */
export function createToken(): string {
  return TOKEN_PREFIX + randomBytes(RANDOM_BYTES).toString('hex');
}

/** Returns the SHA-256 of a token in hex. It needs no salt, because the token is random. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex');
