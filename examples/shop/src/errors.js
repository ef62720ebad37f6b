/** Something the customer may be told. Everything else that is thrown is a bug. */
export class ShopError extends Error {
  constructor(code, message, status = 400) {
    super(message);
    this.name = 'ShopError';
    this.code = code;
    this.status = status;
  }
}

export const notFound = (what) => new ShopError('not_found', `${what} not found`, 404);
export const unauthenticated = () => new ShopError('unauthenticated', 'Please log in', 401);
