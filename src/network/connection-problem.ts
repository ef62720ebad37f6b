/** Reason why a connection to a server failed or broke (rule: connection-failures). */
export type ConnectionProblem =
  | 'dns'
  | 'refused'
  | 'reset'
  | 'timeout'
  | 'tls_untrusted'
  | 'tls_hostname'
  | 'proxy';

export interface ConnectionFailure {
  readonly problem: ConnectionProblem;
  /** True if a retry may succeed; false if only a change of the configuration helps. */
  readonly isPassing: boolean;
}

/** A sentence for each problem: what it means, and what to do about it. */
export const connectionProblems: Readonly<Record<ConnectionProblem, string>> = {
  dns: 'The host name could not be resolved: check the host of the URL, and the DNS of this machine.',
  refused: 'Nothing listens at this address: check that the server runs, and its host and port.',
  reset: 'The connection was closed before the answer was complete.',
  timeout: 'The connection was not made in time: check the network, a firewall, and the host and port.',
  tls_untrusted:
    'The TLS certificate is not trusted: name the certificate authority in NODE_EXTRA_CA_CERTS, and check that this port speaks TLS.',
  tls_hostname: 'The TLS certificate is for another host name: check the host of the URL.',
  proxy: 'The proxy did not pass the connection on: check HTTPS_PROXY, HTTP_PROXY and NO_PROXY.',
};

/** Error code of a failure at a proxy. The cause of such an error may have the code of another problem. */
export const PROXY_FAILED = 'ERR_PROXY_FAILED';

/**
 * The problem for each error code of Node.js, OpenSSL and undici that names one. Certificate codes that are not
 * listed mean `tls_untrusted`.
 */
const problemsByCode: ReadonlyMap<string, ConnectionProblem> = new Map([
  ['ENOTFOUND', 'dns'],
  ['EAI_AGAIN', 'dns'],
  ['EAI_FAIL', 'dns'],
  ['ECONNREFUSED', 'refused'],
  ['EHOSTUNREACH', 'refused'],
  ['ENETUNREACH', 'refused'],
  ['EADDRNOTAVAIL', 'refused'],
  ['ECONNRESET', 'reset'],
  ['EPIPE', 'reset'],
  ['UND_ERR_SOCKET', 'reset'],
  ['ETIMEDOUT', 'timeout'],
  ['UND_ERR_CONNECT_TIMEOUT', 'timeout'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_hostname'],
  [PROXY_FAILED, 'proxy'],
]);

/**
 * Matches OpenSSL's codes for a certificate that cannot be verified, and for a peer whose TLS is incompatible with
 * ours.
 */
const untrusted =
  /^(?:CERT_|CRL_|ERR_SSL_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH)/;

/** Returns the problem that a connection error indicates; null if it indicates no known problem. */
export function connectionFailureOf(error: unknown): ConnectionFailure | null {
  const codes = codesOf(error);
  const problem = codes.map(problemOf).find((each) => each !== undefined);
  return problem ? { problem, isPassing: !isLasting(problem, codes) } : null;
}

/**
 * Returns the codes of an error, of its cause, and of the errors that it combines: one for each address that was
 * tried.
 */
function codesOf(error: unknown, depth = 0): readonly string[] {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return [];
  const inside: unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const causes = 'cause' in error ? [error.cause] : [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  return [...own, ...[...inside, ...causes].flatMap((each) => codesOf(each, depth + 1))];
}

const MAX_DEPTH = 4;

const problemOf = (code: string): ConnectionProblem | undefined =>
  problemsByCode.get(code) ?? (code === 'EPROTO' || untrusted.test(code) ? 'tls_untrusted' : undefined);

/**
 * Returns whether a problem remains until somebody changes a setting, such as a host name that does not exist or
 * an untrusted certificate.
 */
const isLasting = (problem: ConnectionProblem, codes: readonly string[]): boolean =>
  problem.startsWith('tls_') || (problem === 'dns' && codes.includes('ENOTFOUND'));
