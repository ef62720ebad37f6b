import { findProduct, listProducts } from './catalog.js';
import { ShopError } from './errors.js';

/** The stock that can still be sold: the counted stock less what open orders have reserved. */
export class Inventory {
  #onHand = new Map(listProducts().map(({ sku, stock }) => [sku, stock]));
  #reserved = new Map();

  available(sku) {
    findProduct(sku);
    return (this.#onHand.get(sku) ?? 0) - (this.#reserved.get(sku) ?? 0);
  }

  /** Reserves all lines or none, so that a failed checkout leaves nothing behind. */
  reserve(lines) {
    const short = lines.filter(({ sku, quantity }) => this.available(sku) < quantity);
    if (short.length > 0) {
      const names = short.map(({ sku }) => findProduct(sku).name).join(', ');
      throw new ShopError('out_of_stock', `Not enough in stock: ${names}`, 409);
    }
    for (const { sku, quantity } of lines) this.#change(sku, quantity);
  }

  /** Gives reserved goods back: a cancelled or expired order. */
  release(lines) {
    for (const { sku, quantity } of lines) this.#change(sku, -quantity);
  }

  /** The parcel has left: what was reserved is gone for good. */
  take(lines) {
    for (const { sku, quantity } of lines) {
      this.#onHand.set(sku, this.#onHand.get(sku) - quantity);
      this.#change(sku, -quantity);
    }
  }

  #change(sku, by) {
    this.#reserved.set(sku, Math.max(0, (this.#reserved.get(sku) ?? 0) + by));
  }
}
