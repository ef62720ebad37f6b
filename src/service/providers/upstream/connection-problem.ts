import type { ConnectionFailure, ConnectionProblem } from '../../step/provider.js';

/** The codes of Node.js, OpenSSL and undici that name a problem. Codes of certificates that are not listed mean `tls_untrusted`. */
const problems: ReadonlyMap<string, ConnectionProblem> = new Map([
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
]);

/** OpenSSL's codes for a certificate that cannot be verified, and those for a peer that does not speak TLS as we do. */
const untrusted =
  /^(?:CERT_|CRL_|ERR_SSL_|ERR_TLS_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|HOSTNAME_MISMATCH|PATH_LENGTH)/;

/**
 * Returns what an error of the connection means to its operator; null if it names no known problem. Through a proxy only
 * TLS is spoken with the upstream itself before it answers.
 */
export function connectionFailureOf(error: unknown, viaProxy = false): ConnectionFailure | null {
  const codes = codesOf(error);
  const found = codes.map(problemOf).find((each) => each !== undefined);
  const problem = viaProxy && !found?.startsWith('tls_') ? 'proxy' : found;
  return problem ? { problem, isPassing: !isLasting(problem, codes) } : null;
}

/** The codes of an error, of those it combines (one for each address that was tried), and of its cause. */
function codesOf(error: unknown, depth = 0): readonly string[] {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return [];
  const inside: unknown[] = 'errors' in error && Array.isArray(error.errors) ? error.errors : [];
  const causes = 'cause' in error ? [error.cause] : [];
  const own = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  return [...own, ...[...inside, ...causes].flatMap((each) => codesOf(each, depth + 1))];
}

const MAX_DEPTH = 4;

const problemOf = (code: string): ConnectionProblem | undefined =>
  problems.get(code) ?? (code === 'EPROTO' || untrusted.test(code) ? 'tls_untrusted' : undefined);

/** A host name that does not exist and a certificate that is not trusted stay so until somebody changes a setting. */
const isLasting = (problem: ConnectionProblem, codes: readonly string[]): boolean =>
  problem.startsWith('tls_') || (problem === 'dns' && codes.includes('ENOTFOUND'));
