import type { Secret } from './secret.js';

/** Settings with which an operator adapts requests to an upstream (rule: gateway-settings). */
export interface GatewaySettings {
  /** Extra headers, by their names in lower case. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined;
  /** Extra query parameters of the URL. */
  readonly query?: Readonly<Record<string, Secret>> | undefined;
  /**
   * Header that carries the caller's key. By default `authorization`, which is sent as `Bearer KEY`; any other
   * header contains the bare key.
   */
  readonly keyHeader?: string | undefined;
  /**
   * Certificates of the authority that issued the server's certificate, in PEM. They are trusted in addition to
   * the usual ones.
   */
  readonly ca?: string | undefined;
}

/** Returns the values that must be kept out of errors, logs and traces. */
export const secretsIn = ({ headers = {}, query = {} }: GatewaySettings): Secret[] => [
  ...Object.values(headers),
  ...Object.values(query),
];

/**
 * Returns the values of all upstreams' settings that grant access, such as keys of gateways. Every caller of this
 * service uses these values without knowing them.
 */
export const credentialsIn = (
  upstreams: Readonly<Record<string, GatewaySettings | undefined>>,
): readonly Secret[] =>
  Object.values(upstreams)
    .flatMap((upstream = {}) => secretsIn(upstream))
    .filter(({ isCredential }) => isCredential);

/**
 * Returns the gateway's own headers and the header with the caller's key. Only this function and `withQuery`
 * reveal secrets.
 */
export function gatewayHeaders(
  { headers = {}, keyHeader = 'authorization' }: GatewaySettings,
  key: Secret | undefined,
): Record<string, string> {
  const revealed = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.reveal()]));
  if (!key) return revealed;
  return {
    ...revealed,
    [keyHeader]: keyHeader === 'authorization' ? `Bearer ${key.reveal()}` : key.reveal(),
  };
}

/** Adds the gateway's query parameters to a URL. */
export function withQuery(url: URL, { query = {} }: GatewaySettings): URL {
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, value.reveal());
  return url;
}
