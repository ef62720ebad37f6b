import type { Config } from './config.js';

/** The configuration as JSON to look at; what a URL may hide is masked. */
export function printConfig(config: Config): string {
  const masked = (_name: string, value: unknown) => (typeof value === 'string' ? maskUrl(value) : value);
  return JSON.stringify(config, masked, 2);
}

/** Masks a user, a password, a query and a fragment; other texts and plain addresses stay as they were written. */
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
