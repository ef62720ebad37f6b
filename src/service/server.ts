/** The service for use inside another program: `import { startService } from 'stepwise/server'`. */
export { type Config, ConfigError, type ReadOptions, readConfig } from './settings/config.js';
export type { Settings } from './settings/settings.js';
export { type Service, startService } from './start.js';
