import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSession, renewSession } from '../src/auth/sessions.js';

const minute = 60 * 1000;

test('a session ends after 30 minutes without a request', () => {
  const token = createSession('anna', 0);
  assert.equal(renewSession(token, 30 * minute).session.customerId, 'anna');
  assert.throws(() => renewSession(token, 30 * minute + 1), { code: 'unauthenticated' });
});

test('a session ends twelve hours after the login, however busy', () => {
  let token = createSession('anna', 0);
  for (let time = 0; time <= 720 * minute; time += 20 * minute) token = renewSession(token, time).token;
  assert.throws(() => renewSession(token, 721 * minute), { code: 'unauthenticated' });
});

test('a forged token is refused', () => {
  const [, signature] = createSession('anna', 0).split('.');
  const forged = Buffer.from('{"customerId":"ben","loginAt":0,"seenAt":0}').toString('base64url');
  assert.throws(() => renewSession(`${forged}.${signature}`, 0), { code: 'unauthenticated' });
});
