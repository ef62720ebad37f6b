/** A `fetch` for companies' networks, for Node.js: `import { proxyFetch } from 'stepwise/network'`. */
export { proxyFetch } from './fetch-via.js';
