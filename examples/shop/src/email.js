import { formatEuro } from './money.js';

const discountNames = {
  volume: 'Volume discount',
  returning_customer: 'Returning customer discount',
  coupon: 'Coupon',
};

export function sendOrderConfirmation(order, customer, mailer) {
  return mailer.send({
    to: customer.email,
    subject: `Your order ${order.id.slice(0, 8)} at Thornbury Tea`,
    text: confirmationText(order, customer),
  });
}

export function sendPasswordReset(customer, link, mailer) {
  return mailer.send({
    to: customer.email,
    subject: 'Choose a new password',
    text: `Hello ${customer.name},\n\nthis link is good for one hour:\n${link}\n\nThornbury Tea`,
  });
}

function confirmationText({ price, address }, customer) {
  const { lines, discounts, shipping, total, vat } = price;
  return [
    `Hello ${customer.name},`,
    '',
    'thank you for your order:',
    ...lines.map(({ quantity, name, cents }) => `  ${quantity} × ${name}: ${formatEuro(cents)}`),
    ...discounts.map(({ kind, cents }) => `  ${discountNames[kind]}: ${formatEuro(-cents)}`),
    `  Shipping: ${shipping === 0 ? 'free' : formatEuro(shipping)}`,
    `  Total: ${formatEuro(total)} (including ${formatEuro(vat)} VAT)`,
    '',
    `We send it to: ${address}`,
  ].join('\n');
}
