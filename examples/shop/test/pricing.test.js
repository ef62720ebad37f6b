import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discountsFor, isReturningCustomer, volumeDiscount } from '../src/pricing/discounts.js';
import { priceCart } from '../src/pricing/price-cart.js';

const now = Date.parse('2026-04-01T12:00:00Z');
const day = 24 * 60 * 60 * 1000;
const delivered = { status: 'delivered', createdAt: now - 40 * day };

test('volume discount starts at 100 EUR', () => {
  assert.equal(volumeDiscount(9999), 0);
  assert.equal(volumeDiscount(10000), 500);
  assert.equal(volumeDiscount(25000), 2000);
});

test('an order of the past year makes a returning customer', () => {
  assert.equal(isReturningCustomer([], now), false);
  assert.equal(isReturningCustomer([delivered], now), true);
  assert.equal(isReturningCustomer([{ ...delivered, createdAt: now - 400 * day }], now), false);
  assert.equal(isReturningCustomer([{ ...delivered, status: 'cancelled' }], now), false);
});

test('volume and returning customer do not add up', () => {
  const discounts = discountsFor({ lines: [], subtotal: 20000, coupon: null, orders: [delivered], now });
  assert.deepEqual(discounts, [{ kind: 'returning_customer', cents: 2000 }]);
});

test('a coupon comes on top, within the limit of 30 %', () => {
  const price = priceCart(
    { lines: [{ sku: 'POT-CAST-12', quantity: 2 }], coupon: 'POTLUCK' },
    { orders: [delivered], now },
  );
  assert.deepEqual(price.discounts, [
    { kind: 'returning_customer', cents: 1490 },
    { kind: 'coupon', cents: 2682 },
  ]);
  assert.equal(price.shipping, 0);
});

test('shipping is free from 50 EUR after discounts', () => {
  const cart = { lines: [{ sku: 'TEA-SENCHA-100', quantity: 4 }], coupon: null };
  assert.equal(priceCart(cart, { now }).shipping, 0);
  assert.equal(priceCart(cart, { orders: [delivered], now }).shipping, 490);
});
