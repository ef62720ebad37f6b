import { config } from '../config.js';

/** Shipping is free from a goods value after discounts, and for an empty cart. */
export function shippingFor(goodsCents) {
  if (goodsCents === 0) return 0;
  return goodsCents >= config.pricing.freeShippingFromCents ? 0 : config.pricing.shippingCents;
}
