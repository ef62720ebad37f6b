import { findProduct } from './catalog.js';
import { config } from './config.js';
import { ShopError } from './errors.js';

/** A cart is a plain object `{ lines: [{ sku, quantity }], coupon }`; these functions return a new one. */
export const emptyCart = () => ({ lines: [], coupon: null });

export function addToCart(cart, sku, quantity = 1) {
  findProduct(sku);
  const present = cart.lines.find((line) => line.sku === sku)?.quantity ?? 0;
  return setQuantity(cart, sku, present + quantity);
}

/** A quantity of 0 takes the line out. */
export function setQuantity(cart, sku, quantity) {
  if (!Number.isInteger(quantity) || quantity < 0) {
    throw new ShopError('bad_quantity', 'The quantity must be a whole number');
  }
  if (quantity > config.order.maxQuantityPerLine) {
    throw new ShopError('bad_quantity', `At most ${config.order.maxQuantityPerLine} of one product`);
  }
  const others = cart.lines.filter((line) => line.sku !== sku);
  return { ...cart, lines: quantity === 0 ? others : [...others, { sku, quantity }] };
}

/** The code is only checked when the price is made up: a coupon may expire while the cart waits. */
export const enterCoupon = (cart, code) => ({ ...cart, coupon: code.trim().toUpperCase() || null });

/** After login the guest's cart is merged into the customer's; the larger quantity counts. */
export function mergeCarts(customerCart, guestCart) {
  const merged = guestCart.lines.reduce((cart, { sku, quantity }) => {
    const present = cart.lines.find((line) => line.sku === sku)?.quantity ?? 0;
    return setQuantity(cart, sku, Math.max(present, quantity));
  }, customerCart);
  return { ...merged, coupon: guestCart.coupon ?? customerCart.coupon };
}
