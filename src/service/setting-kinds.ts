import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { z } from 'zod';

/** As text or as a number. */
export function wholeNumber(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  const text = z
    .string()
    .regex(/^\d{1,10}$/, error)
    .transform(Number);
  return z.union([z.number(), text], { error }).pipe(z.int({ error }).min(min, error).max(max, error));
}

/** What is said of settings together is not asked where one is no URL. */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL', abort: true });

export const isFile = (path: string): boolean => lookAt(path)?.isFile() ?? false;
export const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() ?? false;

/** Undefined if nothing is there that can be reached: past a loop of links, too long a name, a closed folder. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether a PEM file has certificates, and all can be read: TLS leaves out those that cannot, and says nothing. */
export const holdsCertificates = (path: string): boolean =>
  succeeds(() => {
    const pems = readFileSync(path, 'latin1').match(
      /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----[^-]*(?:-----END [A-Z0-9 ]+-----)?/g,
    );
    if (!pems) throw new Error('No certificate.');
    for (const pem of pems) new X509Certificate(pem);
  });

/** Whether a PEM file has a private key that no passphrase closes. */
export const holdsPrivateKey = (path: string): boolean =>
  succeeds(() => createPrivateKey(readFileSync(path)));

/** Whether a PEM file has the private key of another's first certificate. Both can be read. */
export const fitTogether = (certificate: string, key: string): boolean =>
  new X509Certificate(readFileSync(certificate)).checkPrivateKey(createPrivateKey(readFileSync(key)));

/** Whether its client can use a URL: with a host, at most the number of a database, percent signs that encode something. */
export function isRedisUrl(text: string): boolean {
  const { hostname, pathname, username, password } = new URL(text);
  return hostname !== '' && /^(?:\/\d{0,9})?$/.test(pathname) && [username, password].every(isEncoded);
}

const isEncoded = (text: string): boolean => succeeds(() => decodeURIComponent(text));

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}
