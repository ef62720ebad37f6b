import { readConfig } from '../../service/config.js';
import { type Service, startService } from '../../service/start.js';
import { ollamaUrl } from './ollama.js';

/** Settings for a service that others reach, or that reports to others; this one is nobody else's. */
const notItsOwn = (environment: NodeJS.ProcessEnv) => ({
  AUTH_TOKENS_FILE: '',
  ALLOW_UNAUTHENTICATED: '',
  RATE_LIMIT_PER_MINUTE: '',
  REDIS_URL: '',
  TRUST_PROXY: '',
  ...Object.fromEntries(
    Object.keys(environment)
      .filter((name) => name.startsWith('OTEL_'))
      .map((name) => [name, '']),
  ),
});

/**
 * The service inside this process, on a free port of loopback. The environment configures it as it does the
 * service itself; Ollama is an upstream without being configured. `handedRuns` are for the playground that it serves.
 */
export function startLocalService(
  environment: NodeJS.ProcessEnv = process.env,
  handedRuns: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const config = readConfig(
    { ...environment, ...notItsOwn(environment), HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' },
    { ignoreOthers: true },
  );
  const ollama = { url: `${ollamaUrl}/v1`, keyRequired: false };
  const settings = {
    UPSTREAMS: { ollama, ...config.UPSTREAMS },
    MAX_EVENT_LOOP_LAG_MS: 3_600_000, // its one caller would only have to ask again
    SHUTDOWN_DELAY_MS: 0,
    SHUTDOWN_GRACE_MS: 0,
  };
  return startService({ ...config, ...settings }, undefined, handedRuns);
}
