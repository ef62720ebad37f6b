import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync, type Stats, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { z } from 'zod';
import { isObject } from '../contract/fields.js';

/** As text or as a number. */
export function wholeNumber(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  const text = z
    .string()
    .regex(/^\d{1,10}$/, error)
    .transform(Number);
  return z.union([z.number(), text], { error }).pipe(z.int({ error }).min(min, error).max(max, error));
}

/**
 * A JSON object as text, or the value itself. Refused is what would be lost: one of two values of the same name, and
 * `__proto__` as the name of a property.
 */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  example: string,
): z.ZodType<z.output<Schema>, string | z.input<Schema>> =>
  z
    .unknown()
    .transform((value, context): unknown => {
      const object = typeof value === 'string' ? parseJson(value) : value;
      if (isObject(object)) return object;
      context.addIssue({
        code: 'custom',
        message: `expected a JSON object such as ${example}, without any name twice or \`__proto__\``,
      });
      return z.NEVER;
    })
    // What goes in is said by the annotation; the schema after it checks values that are no text.
    .pipe(schema) as unknown as z.ZodType<z.output<Schema>, string | z.input<Schema>>;

function parseJson(text: string): unknown {
  let fields = 0;
  try {
    const value: unknown = JSON.parse(text, function (this: unknown, name, value) {
      if (name === '__proto__') throw new SyntaxError('__proto__');
      if (!Array.isArray(this)) fields += 1;
      return value;
    });
    // The whole was counted too, as the field of an object around it.
    return namesIn(text) === fields - 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** How many fields are written in a text of JSON, those of the same name included: strings that a colon follows. */
const namesIn = (text: string): number =>
  (text.match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? []).filter((string) => string.endsWith(':')).length;

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

/** Whether TLS takes what fits together: it refuses keys that are too short. */
export const isTakenByTls = (certificate: string, key: string): boolean =>
  succeeds(() => createSecureContext({ cert: readFileSync(certificate), key: readFileSync(key) }));

/**
 * Whether its client can use all of a URL: with a host, a port, at most the number of a database, percent signs that encode
 * something. It would read nothing of a query.
 */
export function isRedisUrl(text: string): boolean {
  const { hostname, port, pathname, search, hash, username, password } = new URL(text);
  const isPlace = hostname !== '' && port !== '0' && /^(?:\/\d{0,9})?$/.test(pathname);
  return isPlace && search + hash === '' && [username, password].every(isEncoded);
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
