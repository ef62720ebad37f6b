import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { protocolSchema } from '../../contract/protocol.js';
import type { GatewaySettings } from '../providers/gateway-settings.js';
import { looksSecret, Secret } from '../providers/secret.js';
import { isFile, upstreamUrl } from './setting-kinds.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names of hop-by-hop and framing headers, which no setting may send (RFC 9110 §7.6.1). */
const forbiddenHeaders = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'host', 'expect', 'accept', 'accept-encoding'],
  ...['content-length', 'content-type', 'content-encoding'],
]);

const headerName = z
  .string()
  .regex(/^[!#$%&'*+.^`|~\w-]{1,128}$/, 'expected the name of a header')
  .refine((name) => !forbiddenHeaders.has(name.toLowerCase()), {
    error: 'this header belongs to the connection or to the message itself, so no setting can send it',
  });

/** Names of headers and query parameters whose values grant access. */
const credentialName = /auth|key|token|secret|cookie|password|credential|signature/i;

/** Upper limit of a context window in the settings, far above that of any model. */
const MAX_WINDOW = 2 ** 31;

const variable = /\$\{([^}]*)\}/g;

/**
 * Returns the schema of the values of headers and query parameters, with `${NAME}` replaced by variables of the
 * environment.
 */
function secretValues(names: z.ZodString, environment: Environment) {
  return z
    .record(
      names,
      z.union([z.string(), z.custom<Secret>((value) => value instanceof Secret)], {
        error: 'expected a text',
      }),
    )
    .transform((values, context) => {
      const entries = Object.entries(values).map(([name, value]) => {
        if (value instanceof Secret) return [name, value] as const;
        const { text, problem } = resolve(value, environment);
        if (problem) context.addIssue({ code: 'custom', path: [name], message: problem });
        const isCredential = text !== value || credentialName.test(name) || looksSecret(text);
        return [name, Secret.ofSetting(text, { isCredential })] as const;
      });
      return Object.fromEntries(entries) as Readonly<Record<string, Secret>>;
    });
}

function resolve(template: string, environment: Environment): { text: string; problem?: string } {
  const names = [...template.matchAll(variable)].map(([, name = '']) => name);
  const odd = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (odd !== undefined)
    return { text: '', problem: 'expected the name of an environment variable between the braces' };
  // An empty variable counts as unset, like every setting.
  const missing = names.find((name) => !environment[name]);
  if (missing !== undefined)
    return {
      text: '',
      problem: `the environment variable ${missing} is not set: set it, or remove this entry`,
    };
  const text = template.replaceAll(variable, (_, name: string) => environment[name] ?? '');
  if (/[\r\n]/.test(text))
    return { text: '', problem: 'the value has a line break, which no header can hold: remove it' };
  if (/^[\x20-\x7e]+$/.test(text)) return { text };
  return { text: '', problem: 'expected a text of printable ASCII characters' };
}

const CA_FILE = 'expected the path of a readable file with certificates in PEM';

const caFile = z.string().refine((path) => isFile(path) && isPem(path), CA_FILE);

function isPem(path: string): boolean {
  try {
    return new X509Certificate(readFileSync(path)).subject !== undefined;
  } catch {
    return false;
  }
}

const gatewayFields = (environment: Environment) => ({
  headers: secretValues(headerName, environment)
    .refine(
      (headers) =>
        new Set(Object.keys(headers).map((name) => name.toLowerCase())).size === Object.keys(headers).length,
      {
        error: 'a header is set twice: names of headers are compared without regard to case',
      },
    )
    .transform((headers) =>
      Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    )
    .optional(),
  query: secretValues(z.string().min(1, 'expected the name of a query parameter'), environment).optional(),
  keyHeader: headerName.toLowerCase().optional(),
  caFile: caFile.optional(),
});

/** Returns whether the operator's own headers include the header that carries the callers' keys. */
const setsKeyTwice = ({ headers = {}, keyHeader = 'authorization' }: GatewaySettings): boolean =>
  Object.hasOwn(headers, keyHeader);

const KEY_TWICE =
  'the header of the callers’ keys is also in headers: name another keyHeader, or remove it from headers';

const builtIn = (environment: Environment) =>
  z
    .strictObject(gatewayFields(environment), {
      error:
        'this name is reserved: choose another, such as my-openai; here, only headers, query, keyHeader and caFile can be set',
    })
    .refine((entry) => !setsKeyTwice(entry), { error: KEY_TWICE, path: ['headers'] });

const WINDOW = 'expected the number of tokens of the context window, such as 32768';

/** Settings of one model, or of all models of an upstream (rule: model-settings). */
const modelFields = {
  contextWindow: z.int({ error: WINDOW, abort: true }).min(1, WINDOW).max(MAX_WINDOW, WINDOW).optional(),
  protocol: protocolSchema.optional(),
};

const MODELS =
  'expected an object from names of models to their settings, such as {"qwen3:8b":{"contextWindow":32768}}';

const models = z.record(
  z
    .string()
    .min(1, 'expected the name of a model as its server has it, such as qwen3:8b')
    .refine((name) => !looksSecret(name), 'expected the name of a model, which this is not'),
  z.strictObject(modelFields, {
    error:
      'expected for each model an object with contextWindow, protocol or both, such as {"contextWindow":32768}',
  }),
  { error: ({ code }) => (code === 'invalid_type' ? MODELS : undefined) },
);

const named = (environment: Environment) =>
  z
    .strictObject(
      {
        url: upstreamUrl,
        wire: z.enum(['chat', 'responses', 'messages']).optional(),
        keyRequired: z.boolean().optional(),
        ...modelFields,
        models: models.optional(),
        maxTokensParam: z.enum(['max_tokens', 'max_completion_tokens']).optional(),
        encoding: z.enum(['o200k_base', 'cl100k_base']).optional(),
        structured: z.enum(['json_schema', 'json_object', 'llama', 'none']).optional(),
        vision: z.boolean().optional(),
        ...gatewayFields(environment),
      },
      {
        error:
          'expected a URL, or an object with url and optionally wire, keyRequired, contextWindow, protocol, models, maxTokensParam, encoding, structured, vision, headers, query, keyHeader, caFile',
      },
    )
    .refine(({ url, wire }) => wire !== 'messages' || !/\/v1\/?$/.test(new URL(url).pathname), {
      error: 'the URL of a server with the wire messages has no /v1, which is added to it',
      path: ['url'],
    })
    // If the setting is absent, callers' keys are required, and sent, for https URLs only.
    .transform(({ keyRequired, ...rest }) => ({
      ...rest,
      keyRequired: keyRequired ?? rest.url.startsWith('https:'),
    }))
    .refine((entry) => !entry.keyRequired || !setsKeyTwice(entry), { error: KEY_TWICE, path: ['headers'] });

const upstreamName = z
  .string()
  .regex(
    /^(?!sk-|stepwise_)[a-z][\w.-]{0,63}$/,
    'expected a name of at most 64 letters, digits, `_`, `.` and `-` that starts with a lowercase letter',
  )
  .refine((name) => name !== 'offline', 'this name is reserved: choose another, such as my-offline');

/** Schema output of `UPSTREAMS`: servers by name, and gateways in front of the built-in vendors. */
type Upstreams = {
  readonly [Vendor in 'openai' | 'anthropic']?: z.output<ReturnType<typeof builtIn>> | undefined;
} & Readonly<Record<string, z.output<ReturnType<typeof named>>>>;

/** Returns the schema of `UPSTREAMS`. */
export function upstreamsSchema(environment: Environment): z.ZodType<Upstreams, Record<string, unknown>> {
  const entry = named(environment);
  const server = z.preprocess(
    (value: z.input<typeof entry> | string) => (typeof value === 'string' ? { url: value } : value),
    entry,
  );
  const gateway = builtIn(environment).optional();
  return z
    .record(upstreamName, z.unknown())
    .pipe(z.object({ openai: gateway, anthropic: gateway }).catchall(server)) as unknown as z.ZodType<
    Upstreams,
    Record<string, unknown>
  >; // Zod's own type contradicts itself: the names of vendors lack what its other names have.
}
