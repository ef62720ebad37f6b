/** A `fetch` for Node.js in company networks with a proxy: `import { proxyFetch } from 'stepwise/network'`. */
export { proxyFetch } from './fetch-via.js';
