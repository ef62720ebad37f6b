import { readFileSync } from 'node:fs';
import { findProduct } from '../catalog.js';
import { ShopError } from '../errors.js';
import { percentOf, sum } from '../money.js';

const file = new URL('../../data/coupons.json', import.meta.url);
const coupons = JSON.parse(readFileSync(file, 'utf8'));

/** The amount that a coupon takes off. Unknown and expired codes are told to the customer, never ignored. */
export function couponDiscount(code, { lines, subtotal, now }) {
  const coupon = coupons[code];
  if (!coupon) throw new ShopError('unknown_coupon', `There is no coupon ${code}`);
  if (coupon.until && now > endOfDay(coupon.until)) {
    throw new ShopError('coupon_expired', `Coupon ${code} ended on ${coupon.until}`);
  }
  if (subtotal < (coupon.minimumCents ?? 0)) return 0;
  if (coupon.kind === 'amount') return Math.min(coupon.cents, subtotal);
  const base = coupon.skuPrefix ? amountOf(lines, coupon.skuPrefix) : subtotal;
  return percentOf(Math.min(base, subtotal), coupon.percent);
}

/** A coupon is good until the end of its last day, UTC. */
const endOfDay = (date) => Date.parse(`${date}T23:59:59.999Z`);

function amountOf(lines, skuPrefix) {
  const matching = lines.filter(({ sku }) => sku.startsWith(skuPrefix));
  return sum(matching.map(({ sku, quantity }) => findProduct(sku).cents * quantity));
}
