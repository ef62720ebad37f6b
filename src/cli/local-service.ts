import { readConfig } from '../service/config.js';
import { type Service, startService } from '../service/start.js';

/** The service in this process, on a free loopback port. The rest of its configuration is the environment's. */
export function startLocalService(): Promise<Service> {
  return startService(readConfig({ ...process.env, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' }));
}
