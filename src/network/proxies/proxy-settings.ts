import type { ProxySettings } from './proxies.js';

type Environment = Readonly<Record<string, string | undefined>>;

const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'] as const;

/** Returns whether a variable is a proxy setting whose name is in lower case, as many programs write it. */
export const isLowerCaseProxy = (name: string): boolean => /^(?:https?|no)_proxy$/.test(name);

/**
 * Returns the proxy settings of an environment, unchecked (rule: proxies). A variable in upper case takes precedence
 * over the one in lower case; an empty variable is treated as absent.
 */
export function proxyVariables(environment: Environment): ProxySettings {
  const valueAt = (name: string): string =>
    environment[name]?.trim() || environment[name.toLowerCase()]?.trim() || '';
  return Object.fromEntries(names.map((name) => [name, valueAt(name)]).filter(([, value]) => value !== ''));
}

/**
 * Message for a variable whose value is not the URL of a proxy. Never quotes the value, because it may contain a
 * password.
 */
export const PROXY_URL_EXPECTED =
  'expected the http or https URL of a proxy, such as http://proxy.example:3128, with percent-encoded user and password';

/**
 * Returns the URL of a proxy. If the text has no scheme, assumes http, as other programs do. Returns undefined if
 * the text is not a URL of a proxy.
 */
export function proxyUrlOf(text: string): string | undefined {
  const url = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(url)) return undefined;
  // A URL with a path is refused: it is probably a password with an unencoded slash, or the address of a
  // configuration script.
  const { protocol, pathname, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) && `${pathname}${search}${hash}` === '/' ? url : undefined;
}

/**
 * Returns the proxy settings of an environment after checking them. Throws `TypeError` that names the wrong
 * variable.
 */
export function readProxies(environment: Environment): ProxySettings {
  const { NO_PROXY, ...proxies } = proxyVariables(environment);
  const urls = Object.entries(proxies).map(([name, text = '']) => {
    const url = proxyUrlOf(text);
    if (url === undefined) throw new TypeError(`${name}: ${PROXY_URL_EXPECTED}`);
    return [name, url] as const;
  });
  return { ...Object.fromEntries(urls), NO_PROXY };
}
