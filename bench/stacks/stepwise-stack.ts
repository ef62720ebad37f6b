import type { Settings } from '../../src/service/config.js';
import { tuneV8 } from '../../src/service/process/tune-v8.js';
import { startService } from '../../src/service/start.js';

/**
 * This service as its program starts it, with its defaults, its log included; without the embedded model, unless the settings
 * say so.
 */
export async function startStepwiseStack(upstreamUrl: string, settings: Settings = {}): Promise<string> {
  tuneV8();
  const { url } = await startService({
    PORT: 0,
    OFFLINE_MODEL: 'off',
    OPENAI_UPSTREAM_URL: `${upstreamUrl}/v1`,
    ANTHROPIC_UPSTREAM_URL: upstreamUrl,
    ...settings,
  });
  return url;
}
