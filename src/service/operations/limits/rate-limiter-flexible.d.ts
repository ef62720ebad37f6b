/**
 * These types are declared here because the package's main entry loads the clients of a dozen stores (9 MB), and
 * the files of single limiters have no declarations.
 */
declare module 'rate-limiter-flexible/lib/RateLimiterRedis.js' {
  // biome-ignore lint/style/noDefaultExport: a module of CommonJS is its own default
  export { RateLimiterRedis as default } from 'rate-limiter-flexible';
}
