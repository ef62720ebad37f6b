/** The service for use inside another program: `import { startService } from 'stepwise/server'`. */
export { type Config, ConfigError, readConfig, type Settings } from './config.js';
export { type Service, startService } from './start.js';
