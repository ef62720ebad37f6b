/**
 * Its main entry loads the clients of a dozen stores, 9 MB that are never used; each limiter alone is a file of its own,
 * without a declaration.
 */
declare module 'rate-limiter-flexible/lib/RateLimiterRedis.js' {
  // biome-ignore lint/style/noDefaultExport: a module of CommonJS is its own default
  export { RateLimiterRedis as default } from 'rate-limiter-flexible';
}
