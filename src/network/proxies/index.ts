/** A `fetch` for Node.js in company networks with a proxy: `import { proxyFetch } from 'stepwise/network'`. */
export { type ConnectOptions, proxyFetch } from './fetch-via.js';
