import { z } from 'zod';
import type { TracingOptions } from './operations/tracing/open-tracing.js';
import {
  fitTogether,
  holdsCertificates,
  holdsPrivateKey,
  httpUrl,
  isFile,
  isTakenByTls,
  wholeNumber,
} from './setting-kinds.js';

/*
 * OpenTelemetry's own variables, with its own defaults (rule: tracing-settings; https://opentelemetry.io/docs/specs/otel/protocol/exporter
 * and …/configuration/sdk-environment-variables). Those not named here change nothing, and the log says so.
 */

const file = z.string().refine(isFile, { error: 'expected a PEM file that exists', abort: true });
// Those that cannot be read are not compared with each other.
const certificates = file.refine(holdsCertificates, {
  error: 'expected a PEM file of one certificate or more',
  abort: true,
});
const privateKey = file.refine(holdsPrivateKey, {
  error: 'expected a PEM file of a private key without a passphrase',
  abort: true,
});
const pairs = (example: string) =>
  z.string().refine((text) => readPairs(text) !== undefined, {
    error: `expected names and values such as ${example}, separated by commas, special characters as %20`,
  });
const headers = pairs('authorization=Bearer%20TOKEN')
  .refine((text) => Object.entries(readPairs(text) ?? {}).every(isHeader), {
    error: 'expected values of printable ASCII characters, and names as HTTP headers have them',
  })
  .refine((text) => !Object.keys(readPairs(text) ?? {}).some(isOfTheMessage), {
    error: 'expected none of the headers that belong to the message itself, such as Host and Content-Length',
  });
const protocol = z.enum(['http/protobuf', 'http/json', 'grpc']);
const compression = z.enum(['none', 'gzip']);
const milliseconds = wholeNumber(1, 600_000);

/** The settings, by the names of their variables. What is said of traces alone (`…_TRACES_…`) goes before the rest. */
export const otelSettings = {
  /** The collector that spans are sent to, over HTTP: `/v1/traces` is added. Without one nothing is recorded. */
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  /** The same with the whole path. */
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  /** Sent along, such as `authorization=Bearer%20TOKEN`. Secret. */
  OTEL_EXPORTER_OTLP_HEADERS: headers.optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: headers.optional(),
  /** Default `http/protobuf`. */
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol.optional(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol.optional(),
  /** Of one export, in milliseconds. Default 10,000. */
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds.optional(),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: milliseconds.optional(),
  /** Default `none`. */
  OTEL_EXPORTER_OTLP_COMPRESSION: compression.optional(),
  OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: compression.optional(),
  /** Whom to trust besides the system's certificates. */
  OTEL_EXPORTER_OTLP_CERTIFICATE: certificates.optional(),
  OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE: certificates.optional(),
  /** Who we are to the collector. */
  OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE: certificates.optional(),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_CERTIFICATE: certificates.optional(),
  OTEL_EXPORTER_OTLP_CLIENT_KEY: privateKey.optional(),
  OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY: privateKey.optional(),
  /** Default `stepwise`. */
  OTEL_SERVICE_NAME: z.string().max(256).optional(),
  /** What else is said of the service, such as `deployment.environment.name=production`. */
  OTEL_RESOURCE_ATTRIBUTES: pairs('deployment.environment.name=production').optional(),
  /** Which traces are recorded. Default `parentbased_always_on`: all, unless the caller says that its trace is not. */
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .optional(),
  /** Of the samplers by ratio: 0 to 1. Default 1. */
  OTEL_TRACES_SAMPLER_ARG: z
    .union(
      [
        z.number(),
        z
          .string()
          .regex(/^\d*\.?\d+$/)
          .transform(Number),
      ],
      { error: 'expected a number from 0 to 1' },
    )
    .pipe(z.number().min(0, 'expected a number from 0 to 1').max(1, 'expected a number from 0 to 1'))
    .optional(),
  /** `none` records nothing. Default `otlp`. */
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none']).optional(),
  /** `true` records nothing. Default `false`. */
  OTEL_SDK_DISABLED: z.enum(['true', 'false']).optional(),
  /** The longest that a span waits to be sent, in milliseconds. Default 5,000. */
  OTEL_BSP_SCHEDULE_DELAY: milliseconds.optional(),
  /** After which a batch makes room for the next, in milliseconds. Default 30,000. */
  OTEL_BSP_EXPORT_TIMEOUT: milliseconds.optional(),
  /** Spans that may wait; those above are dropped. Default 2,048. */
  OTEL_BSP_MAX_QUEUE_SIZE: wholeNumber(1, 65_536).optional(),
  /** Spans that are sent together. Default 512. */
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: wholeNumber(1, 65_536).optional(),
};

type OtelConfig = z.output<z.ZodObject<typeof otelSettings>>;

/** What to trace with; undefined if nothing is to be recorded. */
export function tracingOptions(config: OtelConfig): TracingOptions | undefined {
  const url = urlOf(config);
  if (url === undefined) return undefined;
  const { OTEL_SERVICE_NAME: name, OTEL_RESOURCE_ATTRIBUTES: attributes = '' } = config;
  return {
    url,
    protocol: exporterSetting(config, 'PROTOCOL') === 'http/json' ? 'http/json' : 'http/protobuf',
    headers: {
      ...readPairs(config.OTEL_EXPORTER_OTLP_HEADERS ?? ''),
      ...readPairs(config.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? ''),
    },
    timeoutMs: exporterSetting(config, 'TIMEOUT') ?? 10_000,
    compression: exporterSetting(config, 'COMPRESSION') === 'gzip' ? 'GZIP' : 'NONE',
    certificates: {
      ca: exporterSetting(config, 'CERTIFICATE'),
      cert: exporterSetting(config, 'CLIENT_CERTIFICATE'),
      key: exporterSetting(config, 'CLIENT_KEY'),
    },
    sampler: {
      name: config.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on',
      ratio: config.OTEL_TRACES_SAMPLER_ARG ?? 1,
    },
    resource: { ...readPairs(attributes), ...(name !== undefined && { 'service.name': name }) },
    batch: batchOf(config),
  };
}

function batchOf(config: OtelConfig): TracingOptions['batch'] {
  return {
    scheduledDelayMillis: config.OTEL_BSP_SCHEDULE_DELAY ?? 5_000,
    exportTimeoutMillis: config.OTEL_BSP_EXPORT_TIMEOUT ?? 30_000,
    maxQueueSize: config.OTEL_BSP_MAX_QUEUE_SIZE ?? 2_048,
    maxExportBatchSize: config.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? 512,
  };
}

interface Problem {
  readonly setting: string;
  readonly problem: string;
}

/** What each of the settings makes sense of, and not all of them together; undefined if nothing is the matter. */
export function findTracingProblem(config: OtelConfig): Problem | undefined {
  if (urlOf(config) === undefined) return undefined;
  if (exporterSetting(config, 'PROTOCOL') === 'grpc') {
    const problem =
      'spans are sent over HTTP only: write http/protobuf, and the port of the collector for it, 4318 by default; ' +
      'OTEL_TRACES_EXPORTER=none sends none';
    return { setting: nameOf(config, 'PROTOCOL'), problem };
  }
  return findIdentityProblem(config) ?? findBatchProblem(config);
}

/** A certificate of ours and its key say together who we are. */
function findIdentityProblem(config: OtelConfig): Problem | undefined {
  const [cert, key] = [exporterSetting(config, 'CLIENT_CERTIFICATE'), exporterSetting(config, 'CLIENT_KEY')];
  const [certName, keyName] = [nameOf(config, 'CLIENT_CERTIFICATE'), nameOf(config, 'CLIENT_KEY')];
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined)
    return { setting: keyName, problem: `expected its certificate in ${certName}, too` };
  if (key === undefined) return { setting: certName, problem: `expected its private key in ${keyName}, too` };
  if (!fitTogether(cert, key))
    return { setting: keyName, problem: `expected the private key of the certificate in ${certName}` };
  if (isTakenByTls(cert, key)) return undefined;
  return {
    setting: certName,
    problem: 'expected a certificate that TLS takes, such as one of 2048 bits of RSA',
  };
}

function findBatchProblem(config: OtelConfig): Problem | undefined {
  const { maxQueueSize, maxExportBatchSize } = batchOf(config);
  if (maxExportBatchSize <= maxQueueSize) return undefined;
  const problem = `expected at most OTEL_BSP_MAX_QUEUE_SIZE, which is ${maxQueueSize}`;
  return { setting: 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', problem };
}

/** Where spans go; undefined if they go nowhere. */
function urlOf(config: OtelConfig): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true' || config.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = config;
  if (whole !== undefined || base === undefined) return whole;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

type ExporterSetting =
  | 'PROTOCOL'
  | 'TIMEOUT'
  | 'COMPRESSION'
  | 'CERTIFICATE'
  | 'CLIENT_CERTIFICATE'
  | 'CLIENT_KEY';

function exporterSetting<Name extends ExporterSetting>(config: OtelConfig, name: Name) {
  return config[`OTEL_EXPORTER_OTLP_TRACES_${name}`] ?? config[`OTEL_EXPORTER_OTLP_${name}`];
}

/** The variable that counts. */
function nameOf(config: OtelConfig, name: ExporterSetting): string {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${name}` as const;
  return config[own] === undefined ? `OTEL_EXPORTER_OTLP_${name}` : own;
}

/** `a=1,b=2%20`; undefined if the text is no such list. */
function readPairs(text: string): Record<string, string> | undefined {
  const members = text.split(',').map((member) => member.trim());
  try {
    const entries = members.filter((member) => member !== '').map(readPair);
    return Object.fromEntries(entries);
  } catch {
    return undefined;
  }
}

/** Throws if it is none. */
function readPair(member: string): [string, string] {
  const [, name, value] = /^([^=\s]+)\s*=\s*(.*)$/.exec(member) ?? [];
  if (name === undefined || value === undefined) throw new SyntaxError('no pair');
  return [decodeURIComponent(name), decodeURIComponent(value)];
}

const isHeader = ([name, value]: readonly [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[ -~]*$/.test(value);

/** Written by HTTP and the exporter: another value breaks the message, or leads it elsewhere. */
const isOfTheMessage = (name: string): boolean =>
  /^(?:connection|content-(?:encoding|length|type)|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i.test(
    name,
  );
