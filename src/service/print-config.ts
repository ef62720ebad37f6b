import type { Config } from './config.js';

/** The configuration as JSON to look at; what a URL may hide is masked, and the values of headers are. */
export function printConfig(config: Config): string {
  const masked = (name: string, value: unknown) => (typeof value === 'string' ? mask(name, value) : value);
  return JSON.stringify(config, masked, 2);
}

const mask = (name: string, value: string): string =>
  name.endsWith('_HEADERS') ? value.replace(/=[^,]*/g, '=***') : maskUrl(value);

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
