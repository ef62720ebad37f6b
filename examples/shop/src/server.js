import { createServer } from 'node:http';
import { login } from './auth/login.js';
import { renewSession } from './auth/sessions.js';
import { addToCart, emptyCart, enterCoupon } from './cart.js';
import { listProducts, searchProducts } from './catalog.js';
import { checkout, sweepUnpaidOrders } from './checkout.js';
import { config } from './config.js';
import { Customers } from './customers.js';
import { notFound, ShopError, unauthenticated } from './errors.js';
import { Inventory } from './inventory.js';
import { Orders } from './orders.js';
import { priceCart } from './pricing/price-cart.js';

const shop = {
  inventory: new Inventory(),
  orders: new Orders(),
  customers: new Customers(),
  carts: new Map(),
  mailer: { send: async ({ to, subject }) => console.log(`mail to ${to}: ${subject}`) },
  gateway: { post: async () => ({ id: 'test-charge', status: 'succeeded' }) },
  log: console,
};

const cartOf = (customer) => shop.carts.get(customer.id) ?? emptyCart();

/** Method and path → what it does. Routes that take a `customer` need a session. */
const routes = {
  'GET /products': ({ query }) => (query.has('q') ? searchProducts(query.get('q')) : listProducts()),
  'POST /customers': async ({ body }) => ({ id: (await shop.customers.register(body)).id }),
  'POST /login': async ({ body, now }) => ({ token: (await login(body, shop.customers, now)).token }),
  'GET /cart': ({ customer, now }) =>
    priceCart(cartOf(customer), { orders: shop.orders.ofCustomer(customer.id), now }),
  'POST /cart': ({ customer, body }) => {
    shop.carts.set(customer.id, addToCart(cartOf(customer), body.sku, body.quantity));
    return cartOf(customer);
  },
  'POST /coupon': ({ customer, body }) => {
    shop.carts.set(customer.id, enterCoupon(cartOf(customer), body.code));
    return cartOf(customer);
  },
  'POST /checkout': async ({ customer, body, now }) => {
    const order = await checkout({ ...body, cart: cartOf(customer), customer, now }, shop);
    shop.carts.delete(customer.id);
    return order;
  },
  'GET /orders': ({ customer }) => shop.orders.ofCustomer(customer.id),
};

const isPublic = (route) => ['GET /products', 'POST /customers', 'POST /login'].includes(route);

async function answer(request, response) {
  const now = Date.now();
  const { pathname, searchParams } = new URL(request.url, 'http://shop');
  const route = `${request.method} ${pathname}`;
  if (!routes[route]) throw notFound(route);
  const customer = isPublic(route) ? null : authenticate(request, response, now);
  return routes[route]({ query: searchParams, body: await readJson(request), customer, now });
}

/** The renewed token goes back in a header, so that the idle time starts anew. */
function authenticate(request, response, now) {
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  if (!token) throw unauthenticated();
  const renewed = renewSession(token, now);
  const customer = shop.customers.find(renewed.session.customerId);
  if (!customer) throw unauthenticated();
  response.setHeader('X-Session-Token', renewed.token);
  return customer;
}

async function readJson(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}

createServer(async (request, response) => {
  response.setHeader('Content-Type', 'application/json');
  try {
    response.end(JSON.stringify(await answer(request, response)));
  } catch (error) {
    const known = error instanceof ShopError;
    if (!known) shop.log.error(error);
    response.statusCode = known ? error.status : 500;
    response.end(JSON.stringify(known ? { code: error.code, message: error.message } : { code: 'internal' }));
  }
}).listen(config.port, () => console.log(`http://localhost:${config.port}`));

setInterval(() => sweepUnpaidOrders(shop, Date.now()), 60_000).unref();
