/** Cents in, cents out. The only file that divides money. */

/** A share of an amount, rounded half up to the cent. */
export function percentOf(cents, percent) {
  return Math.floor((cents * percent) / 100 + 0.5);
}

/** The tax inside a gross amount, rounded half up. */
export function includedTax(grossCents, percent) {
  return Math.floor((grossCents * percent) / (100 + percent) + 0.5);
}

export const sum = (amounts) => amounts.reduce((total, cents) => total + cents, 0);

export function formatEuro(cents) {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = String(Math.abs(cents) % 100).padStart(2, '0');
  return `${sign}${whole}.${rest} EUR`;
}
