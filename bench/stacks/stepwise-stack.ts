import type { Settings } from '../../src/service/config.js';

/**
 * This service as its program starts it, with its defaults, its log included; without the embedded model, unless the settings
 * say so.
 */
export async function startStepwiseStack(upstreamUrl: string, settings: Settings = {}): Promise<string> {
  const { startService } = await import('../../src/service/start.js');
  const { url } = await startService({
    PORT: 0,
    OFFLINE_MODEL: 'off',
    OPENAI_UPSTREAM_URL: `${upstreamUrl}/v1`,
    ANTHROPIC_UPSTREAM_URL: upstreamUrl,
    ...settings,
  });
  return url;
}
