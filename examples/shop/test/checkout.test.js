import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkout } from '../src/checkout.js';
import { Inventory } from '../src/inventory.js';
import { Orders } from '../src/orders.js';

const customer = { id: 'anna', name: 'Anna', email: 'anna@example.org' };
const cart = { lines: [{ sku: 'POT-GLASS-08', quantity: 2 }], coupon: null };
const visit = { cart, customer, address: 'Lane 1', cardToken: 'card', now: 0 };

function openShop({ status = 'succeeded', mailFails = false } = {}) {
  const mails = [];
  const warnings = [];
  const send = async (mail) => {
    if (mailFails) throw new Error('no route');
    mails.push(mail);
  };
  return {
    mails,
    warnings,
    inventory: new Inventory(),
    orders: new Orders(),
    mailer: { send },
    gateway: { post: async () => ({ id: 'charge', status }) },
    log: { warn: (text) => warnings.push(text) },
  };
}

test('a checkout reserves, charges, stores and confirms', async () => {
  const shop = openShop();
  const order = await checkout(visit, shop);
  assert.equal(order.status, 'paid');
  assert.equal(shop.inventory.available('POT-GLASS-08'), 16);
  assert.match(shop.mails[0].text, /2 × Glass teapot/);
});

test('a declined card cancels the order and frees the stock', async () => {
  const shop = openShop({ status: 'declined' });
  await assert.rejects(checkout(visit, shop), { code: 'payment_declined' });
  assert.equal(shop.inventory.available('POT-GLASS-08'), 18);
  assert.equal(shop.orders.ofCustomer('anna')[0].status, 'cancelled');
});

test('a mail that fails does not fail the order', async () => {
  const shop = openShop({ mailFails: true });
  assert.equal((await checkout(visit, shop)).status, 'paid');
  assert.match(shop.warnings[0], /confirmation mail failed/);
});

test('what is not in stock cannot be ordered', async () => {
  const shop = openShop();
  const soldOut = { ...visit, cart: { lines: [{ sku: 'CUP-PORC-2', quantity: 1 }], coupon: null } };
  await assert.rejects(checkout(soldOut, shop), { code: 'out_of_stock' });
});
