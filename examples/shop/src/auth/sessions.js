import { createHmac, timingSafeEqual } from 'node:crypto';
import { config } from '../config.js';
import { unauthenticated } from '../errors.js';

/**
 * A session token is `payload.signature`; the payload names the customer, the login time and the time of
 * the last request. Nothing is stored: every request gets a fresh token back.
 */
export function createSession(customerId, now) {
  return sign({ customerId, loginAt: now, seenAt: now });
}

/** Checks a token and renews it. Throws when it is forged, idle for too long, or too old altogether. */
export function renewSession(token, now) {
  const session = verify(token);
  if (isExpired(session, now)) throw unauthenticated();
  return { session, token: sign({ ...session, seenAt: now }) };
}

/** Two limits: time since the last request, and time since the login. */
export function isExpired({ loginAt, seenAt }, now) {
  const { idleTimeout, absoluteTimeout } = config.session;
  return now - seenAt > idleTimeout || now - loginAt > absoluteTimeout;
}

function sign(payload) {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${signatureOf(text)}`;
}

function verify(token) {
  const [text = '', signature = ''] = token.split('.');
  const expected = Buffer.from(signatureOf(text));
  const given = Buffer.from(signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) throw unauthenticated();
  return JSON.parse(Buffer.from(text, 'base64url').toString());
}

const signatureOf = (text) => createHmac('sha256', config.secret).update(text).digest('base64url');
