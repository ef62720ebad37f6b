import type { Settings } from '../../src/service/config.js';
import { giveBackMemory, tuneV8 } from '../../src/service/tune-v8.js';

/**
 * This service as its program starts it, with its defaults, its log included; without the embedded model, unless the settings
 * say so.
 */
export async function startStepwiseStack(upstreamUrl: string, settings: Settings = {}): Promise<string> {
  tuneV8();
  const { startService } = await import('../../src/service/start.js');
  const { url, warm } = await startService({
    PORT: 0,
    OFFLINE_MODEL: 'off',
    OPENAI_UPSTREAM_URL: `${upstreamUrl}/v1`,
    ANTHROPIC_UPSTREAM_URL: upstreamUrl,
    ...settings,
  });
  void warm.then(giveBackMemory);
  return url;
}
