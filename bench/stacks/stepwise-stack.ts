import type { Settings } from '../../src/service/settings/settings.js';
import { startService } from '../../src/service/start.js';

/**
 * Starts the service with its default settings, including logging. The offline model is off unless the settings
 * enable it.
 */
export async function startStepwiseStack(upstreamUrl: string, settings: Settings = {}): Promise<string> {
  const { url, warm } = await startService({
    PORT: 0,
    OFFLINE_MODEL: 'off',
    OPENAI_UPSTREAM_URL: `${upstreamUrl}/v1`,
    ANTHROPIC_UPSTREAM_URL: upstreamUrl,
    ...settings,
  });
  await warm;
  return url;
}
