import type { Config } from './config.js';

/** Prints the configuration as JSON and masks secrets in URLs. */
export function printConfig(config: Config): string {
  const masked = (_name: string, value: unknown) => (typeof value === 'string' ? maskUrl(value) : value);
  return JSON.stringify(config, masked, 2);
}

/** Masks user, password, query and fragment of a URL. Returns other texts unchanged. */
function maskUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:https?|rediss?):$/.test(url.protocol)) return text;
  const { username, password, search, hash } = url;
  if (!username && !password && !search && !hash) return text;
  if (username || password) Object.assign(url, { username: '***', password: '' });
  if (search) url.search = '?***';
  if (hash) url.hash = '#***';
  return url.href;
}
