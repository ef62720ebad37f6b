import { hash, randomBytes } from 'node:crypto';

/** How a token of this service begins, so that people and scanners for secrets know one when they see it. */
const TOKEN_PREFIX = 'stepwise_';

const RANDOM_BYTES = 32;

/** A new token: nobody can guess it, and only its digest is ever kept. */
export function createToken(): string {
  return TOKEN_PREFIX + randomBytes(RANDOM_BYTES).toString('hex');
}

/** The SHA-256 of a token in hex. It needs no salt: what it is made of is random. */
export const digestOf = (token: string): string => hash('sha256', token, 'hex');
