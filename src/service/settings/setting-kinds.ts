import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { z } from 'zod';
import { isObject } from '../../contract/fields.js';
import { PROXY_URL_EXPECTED, proxyUrlOf } from '../../network/proxies/proxy-settings.js';

/** Returns the schema of a whole number, given as text or as a number. */
export function wholeNumber(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  const text = z
    .string()
    .regex(/^\d{1,10}$/, error)
    .transform(Number);
  return z.union([z.number(), text], { error }).pipe(z.int({ error }).min(min, error).max(max, error));
}

/**
 * Schema of a JSON object, given as text or as a value. Rejects field names that `JSON.parse` would lose:
 * duplicates and `__proto__`.
 */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  example: string,
): z.ZodType<z.output<Schema>, string | z.input<Schema>> =>
  z
    .unknown()
    .transform((value, context): unknown => {
      const object = typeof value === 'string' ? parseWithoutDuplicates(value) : value;
      if (isObject(object)) return object;
      context.addIssue({
        code: 'custom',
        message: `expected a JSON object such as ${example}, without duplicate names and without \`__proto__\``,
      });
      return z.NEVER;
    })
    // Cast: the type of `pipe` loses the input. Text is parsed first; the inner schema checks values that are not
    // text.
    .pipe(schema) as unknown as z.ZodType<z.output<Schema>, string | z.input<Schema>>;

function parseWithoutDuplicates(text: string): unknown {
  let fields = 0;
  try {
    const value: unknown = JSON.parse(text, function (this: unknown, name, value) {
      if (name === '__proto__') throw new SyntaxError('__proto__');
      if (!Array.isArray(this)) fields += 1;
      return value;
    });
    // `JSON.parse` also calls the reviver once for the whole value, hence the minus 1.
    return namesIn(text) === fields - 1 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts the field names in a JSON text, including duplicates: the strings that are followed by a colon. */
const namesIn = (text: string): number =>
  (text.match(/"(?:[^"\\]|\\.)*"\s*:?/g) ?? []).filter((string) => string.endsWith(':')).length;

/**
 * Schema of an http or https URL. An invalid URL stops validation, so that checks over several settings never see
 * one.
 */
export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL', abort: true });

const WITHOUT_QUERY = 'expected a URL without a query or a fragment';

function isWithoutQuery(url: string): boolean {
  const { search, hash } = new URL(url);
  return search === '' && hash === '';
}

/** Schema of the base URL of a context service. User and password, if any, are sent to it. */
export const contextServiceUrl = httpUrl.refine(isWithoutQuery, { error: WITHOUT_QUERY, abort: true });

/** Schema of the base URL of an upstream. It must contain no key, because the URL is logged and traced. */
export const upstreamUrl = httpUrl
  .refine((url) => !hasCredentials(url), {
    error: 'expected a URL without user and password: callers send their keys with their requests',
    abort: true,
  })
  .refine(isWithoutQuery, {
    error: `${WITHOUT_QUERY}; put query parameters into the property "query" of the upstream in UPSTREAMS`,
    abort: true,
  })
  .refine((url) => !endpointPath.test(new URL(url).pathname), {
    error:
      'expected the URL below which the endpoints are, such as https://models.example/v1, not an endpoint itself',
    abort: true,
  });

function hasCredentials(url: string): boolean {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/**
 * Matches paths that end in an endpoint instead of the base path, including endpoints of Ollama's and Gemini's own
 * APIs, which the service does not support.
 */
const endpointPath =
  /(?:\/(?:chat\/completions|completions|responses|messages|count_tokens|embeddings|models|api\/chat|api\/generate)|:(?:stream)?generateContent)\/?$/i;

/** Schema of the URL of a proxy. A text without a scheme, such as `proxy.example:3128`, means http. */
export const proxyUrl = z.string().transform((text, context): string => {
  const url = proxyUrlOf(text);
  if (url !== undefined) return url;
  context.addIssue({ code: 'custom', message: PROXY_URL_EXPECTED });
  return z.NEVER;
});

export const isFile = (path: string): boolean => statIfPresent(path)?.isFile() ?? false;
export const isFolder = (path: string): boolean => statIfPresent(path)?.isDirectory() ?? false;

/** Returns whether the path is a folder in which this process can create files. */
export function isWritableFolder(path: string): boolean {
  if (!isFolder(path)) return false;
  try {
    accessSync(path, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the status of a file; undefined if it does not exist or cannot be reached. */
function statIfPresent(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether the Redis client uses every part of a URL: host, port, a database number as the path, and
 * valid percent-encoding. The client would ignore a query.
 */
export function isRedisUrl(text: string): boolean {
  const { hostname, port, pathname, search, hash, username, password } = new URL(text);
  const isPlace = hostname !== '' && port !== '0' && /^(?:\/\d{0,9})?$/.test(pathname);
  return isPlace && search + hash === '' && [username, password].every(isEncoded);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
