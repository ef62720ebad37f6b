import tls from 'node:tls';

/** Returns the TLS option that trusts further certificates (PEM) in addition to the usual ones; empty if there are none. */
export const trusting = (authority: string | undefined): { readonly ca?: string[] } =>
  authority === undefined ? {} : { ca: [...usualAuthorities(), authority] };

/**
 * Returns the certificates that Node trusts by default, because `ca` replaces them. Older releases of Node list
 * only their bundled certificates.
 */
function usualAuthorities(): readonly string[] {
  // This function exists since Node 22.15; the installed types are those of Node 20.
  const { getCACertificates }: { getCACertificates?: (type: 'default') => string[] } = tls as object;
  return getCACertificates?.('default') ?? tls.rootCertificates;
}
