import { config } from '../config.js';
import { ShopError } from '../errors.js';
import { verifyPassword } from './passwords.js';
import { createSession } from './sessions.js';

/** Failed attempts per e-mail address: `{ count, lastAt }`. */
const failures = new Map();

/** Logs a customer in. A wrong address and a wrong password get the same answer. */
export async function login({ email, password }, customers, now) {
  if (isLockedOut(email, now)) {
    throw new ShopError('locked_out', 'Too many attempts, please try again later', 429);
  }
  const customer = customers.findByEmail(email);
  if (!customer || !(await verifyPassword(password, customer.passwordHash))) {
    countFailure(email, now);
    throw new ShopError('bad_credentials', 'Wrong e-mail address or password', 401);
  }
  failures.delete(email);
  return { customer, token: createSession(customer.id, now) };
}

function isLockedOut(email, now) {
  const { count = 0, lastAt = 0 } = failures.get(email) ?? {};
  return count >= config.login.maxAttempts && now - lastAt < config.login.lockout;
}

function countFailure(email, now) {
  const { count = 0 } = failures.get(email) ?? {};
  failures.set(email, { count: count + 1, lastAt: now });
}
