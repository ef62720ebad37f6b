import { randomUUID } from 'node:crypto';
import { config } from './config.js';
import { notFound, ShopError } from './errors.js';

/** The states that may follow each state (docs/orders.md). */
const transitions = {
  pending: ['paid', 'cancelled'],
  paid: ['shipped', 'cancelled'],
  shipped: ['delivered'],
  delivered: [],
  cancelled: [],
};

/** The orders of the shop. In memory; a real shop would put a database behind the same four methods. */
export class Orders {
  #orders = new Map();

  create({ customerId, price, address, now }) {
    const order = { id: randomUUID(), customerId, price, address, status: 'pending', createdAt: now };
    this.#orders.set(order.id, order);
    return order;
  }

  find(id) {
    const order = this.#orders.get(id);
    if (!order) throw notFound(`Order ${id}`);
    return order;
  }

  /** Returns the orders of a customer, the newest first. */
  ofCustomer(customerId) {
    const own = [...this.#orders.values()].filter((order) => order.customerId === customerId);
    return own.sort((a, b) => b.createdAt - a.createdAt);
  }

  moveTo(id, status) {
    const order = this.find(id);
    if (!transitions[order.status].includes(status)) {
      throw new ShopError('bad_transition', `A ${order.status} order cannot become ${status}`, 409);
    }
    const moved = { ...order, status };
    this.#orders.set(id, moved);
    return moved;
  }

  /** Cancels what was not paid in time and returns it, so that the stock can be released. */
  expirePending(now) {
    const late = [...this.#orders.values()].filter(
      (order) => order.status === 'pending' && now - order.createdAt > config.order.paymentWindow,
    );
    return late.map(({ id }) => this.moveTo(id, 'cancelled'));
  }
}
