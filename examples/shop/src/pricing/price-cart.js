import { findProduct } from '../catalog.js';
import { config } from '../config.js';
import { includedTax, sum } from '../money.js';
import { discountsFor } from './discounts.js';
import { shippingFor } from './shipping.js';

/**
 * Makes up the price of a cart (docs/pricing.md). `orders` are the customer's earlier orders,
 * an empty list for a guest. Pure: the same arguments give the same price.
 */
export function priceCart(cart, { orders = [], now }) {
  const lines = cart.lines.map(priceLine);
  const subtotal = sum(lines.map(({ cents }) => cents));
  const discounts = discountsFor({ lines, subtotal, coupon: cart.coupon, orders, now });
  const goods = subtotal - sum(discounts.map(({ cents }) => cents));
  const shipping = shippingFor(goods);
  const total = goods + shipping;
  return { lines, subtotal, discounts, shipping, total, vat: includedTax(total, config.pricing.vatPercent) };
}

function priceLine({ sku, quantity }) {
  const { name, cents } = findProduct(sku);
  return { sku, name, quantity, unitCents: cents, cents: cents * quantity };
}
