import { readConfig } from '../../service/settings/config.js';
import { type Service, startService } from '../../service/start.js';
import { openStepMaker, type StepMaker } from '../../service/step-maker.js';
import { ollamaUrl } from './ollama.js';

/**
 * Returns empty values for settings that this service does not use: those for several callers, and those for telemetry.
 */
const clearedSettings = (environment: NodeJS.ProcessEnv) => ({
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
 * Starts a service inside this process, on a free port of loopback. The environment configures it like any service;
 * Ollama is an upstream by default. `handedRuns` are runs for its playground.
 */
export function startLocalService(
  environment: NodeJS.ProcessEnv = process.env,
  handedRuns: Readonly<Record<string, string>> = {},
): Promise<Service> {
  return startService(localSettings(environment), undefined, handedRuns);
}

/** Opens a `StepMaker`, which repeats recorded steps in this process, with the same settings as `startLocalService`. */
export const openLocalMaker = (environment: NodeJS.ProcessEnv = process.env): Promise<StepMaker> =>
  openStepMaker(localSettings(environment));

function localSettings(environment: NodeJS.ProcessEnv) {
  const config = readConfig(
    { ...environment, ...clearedSettings(environment), HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'silent' },
    { ignoreOthers: true },
  );
  const ollama = { url: `${ollamaUrl}/v1`, keyRequired: false };
  return {
    ...config,
    UPSTREAMS: { ollama, ...config.UPSTREAMS },
    MAX_EVENT_LOOP_LAG_MS: 3_600_000, // turning requests away would only make the single caller retry
    SHUTDOWN_DELAY_MS: 0,
    SHUTDOWN_GRACE_MS: 0,
  };
}
