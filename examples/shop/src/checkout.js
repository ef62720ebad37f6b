import { ShopError } from './errors.js';
import { sendOrderConfirmation } from './email.js';
import { charge } from './payment.js';
import { priceCart } from './pricing/price-cart.js';

/**
 * Turns a cart into a paid order: price, reserve stock, store, charge, confirm.
 * If the payment fails the order is cancelled and the stock released; the cart is left as it is.
 */
export async function checkout({ cart, customer, address, cardToken, now }, shop) {
  if (cart.lines.length === 0) throw new ShopError('empty_cart', 'The cart is empty');
  const price = priceCart(cart, { orders: shop.orders.ofCustomer(customer.id), now });
  shop.inventory.reserve(cart.lines);
  const order = shop.orders.create({ customerId: customer.id, price, address, now });
  try {
    await charge({ orderId: order.id, cents: price.total, cardToken }, shop.gateway);
  } catch (error) {
    cancelOrder(order, shop);
    throw error;
  }
  const paid = shop.orders.moveTo(order.id, 'paid');
  await confirm(paid, customer, shop);
  return paid;
}

/** Cancels an order that has not been shipped and gives its goods back. */
export function cancelOrder(order, shop) {
  const cancelled = shop.orders.moveTo(order.id, 'cancelled');
  shop.inventory.release(order.price.lines);
  return cancelled;
}

/** Run every minute: pending orders outside the payment window free their stock. */
export function sweepUnpaidOrders(shop, now) {
  for (const order of shop.orders.expirePending(now)) shop.inventory.release(order.price.lines);
}

/** The order stands even if the mail does not get out. */
async function confirm(order, customer, shop) {
  try {
    await sendOrderConfirmation(order, customer, shop.mailer);
  } catch (error) {
    shop.log.warn(`order ${order.id}: confirmation mail failed: ${error.message}`);
  }
}
