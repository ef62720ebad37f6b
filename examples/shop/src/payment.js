import { ShopError } from './errors.js';

/**
 * Charges a card through the payment provider. The order id is the idempotency key: the same order is
 * never charged twice, however often this is called.
 */
export async function charge({ orderId, cents, cardToken }, gateway) {
  const answer = await gateway.post('/charges', {
    amount: cents,
    currency: 'EUR',
    source: cardToken,
    idempotencyKey: orderId,
  });
  if (answer.status === 'declined') {
    throw new ShopError('payment_declined', 'The card was declined', 402);
  }
  return { chargeId: answer.id };
}
