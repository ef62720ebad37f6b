import { randomUUID } from 'node:crypto';
import { hashPassword } from './auth/passwords.js';
import { ShopError } from './errors.js';

/** The customers, by id and by e-mail address; addresses are compared in lower case. */
export class Customers {
  #byId = new Map();
  #byEmail = new Map();

  async register({ name, email, password }) {
    const address = email.trim().toLowerCase();
    if (this.#byEmail.has(address)) {
      throw new ShopError('email_taken', 'There is an account with this e-mail address', 409);
    }
    if (password.length < 10) {
      throw new ShopError('weak_password', 'The password needs at least 10 characters');
    }
    const customer = { id: randomUUID(), name, email: address, passwordHash: await hashPassword(password) };
    this.#byId.set(customer.id, customer);
    this.#byEmail.set(address, customer);
    return customer;
  }

  find(id) {
    return this.#byId.get(id) ?? null;
  }

  findByEmail(email) {
    return this.#byEmail.get(email.trim().toLowerCase()) ?? null;
  }
}
