import { config } from '../config.js';
import { percentOf } from '../money.js';
import { couponDiscount } from './coupons.js';

const YEAR = 365 * 24 * 60 * 60 * 1000;

/** More for larger orders: the first tier that the subtotal reaches. */
export function volumeDiscount(subtotal) {
  const tier = config.pricing.volumeTiers.find(({ fromCents }) => subtotal >= fromCents);
  return tier ? percentOf(subtotal, tier.percent) : 0;
}

/** A returning customer is one who has ordered before, in the past year. */
export function isReturningCustomer(orders, now) {
  return orders.some((order) => order.status !== 'cancelled' && now - order.createdAt < YEAR);
}

/** The discount for returning customers: a fixed share of the subtotal. */
export function returningCustomerDiscount(subtotal, orders, now) {
  if (!isReturningCustomer(orders, now)) return 0;
  return percentOf(subtotal, config.pricing.returningPercent);
}

/**
 * All discounts of a cart as a list of `{ kind, cents }`, in the order in which they are shown.
 * Volume and returning customer do not add up: the larger one counts. A coupon comes on top, on what is left.
 */
export function discountsFor({ lines, subtotal, coupon, orders, now }) {
  const volume = volumeDiscount(subtotal);
  const returning = returningCustomerDiscount(subtotal, orders, now);
  const first =
    returning > volume ? { kind: 'returning_customer', cents: returning } : { kind: 'volume', cents: volume };
  const rest = { lines, subtotal: subtotal - first.cents, now };
  const second = { kind: 'coupon', cents: coupon ? couponDiscount(coupon, rest) : 0 };
  return limitDiscounts([first, second].filter(({ cents }) => cents > 0), subtotal);
}

/** Cuts the last discounts so that all together stay within the limit. */
function limitDiscounts(discounts, subtotal) {
  let left = percentOf(subtotal, config.pricing.maxDiscountPercent);
  return discounts.map(({ kind, cents }) => {
    const granted = Math.min(cents, left);
    left -= granted;
    return { kind, cents: granted };
  });
}
