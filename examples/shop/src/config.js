const minutes = (count) => count * 60 * 1000;

const number = (name, fallback) => {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error(`${name} must be a number, not "${text}"`);
  return value;
};

/** All settings, read once at start. Times are milliseconds, money is cents. */
export const config = {
  port: number('PORT', 3000),
  secret: process.env.SHOP_SECRET ?? 'only-for-development',
  smtpUrl: process.env.SMTP_URL ?? null,

  session: {
    // A session ends after this much time without a request …
    idleTimeout: minutes(number('SESSION_IDLE_MINUTES', 30)),
    // … and in any case this long after the login.
    absoluteTimeout: minutes(number('SESSION_MAX_MINUTES', 12 * 60)),
  },

  login: {
    maxAttempts: 5,
    lockout: minutes(15),
  },

  order: {
    paymentWindow: minutes(20),
    maxQuantityPerLine: 20,
  },

  pricing: {
    volumeTiers: [
      { fromCents: 25000, percent: 8 },
      { fromCents: 10000, percent: 5 },
    ],
    returningPercent: 10,
    maxDiscountPercent: 30,
    freeShippingFromCents: 5000,
    shippingCents: 490,
    vatPercent: 7,
  },
};
