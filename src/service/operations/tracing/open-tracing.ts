import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { RecordedTrace } from './recorded-trace.js';
import type { Tracing } from './request-trace.js';
import { SpanDelivery } from './span-delivery.js';

/** Time for sending the last spans when the service ends. */
const LAST_SPANS_MS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

interface TracingOptions {
  /** URL of the collector, including the path for traces. */
  readonly url: string;
  readonly log: Logger;
  readonly version: string;
  readonly environment?: Environment;
}

/**
 * Records the requests of a service with OpenTelemetry's SDK, which is loaded together with this file (rule:
 * tracing). In this release of the SDK, the exporter and the resource read their environment variables themselves,
 * but the sampler and the processor do not. Their variables are therefore read here (rule: tracing-settings).
 */
export async function openTracing({
  url,
  log,
  version,
  environment = process.env,
}: TracingOptions): Promise<Tracing> {
  const batch = batchOf(environment);
  const sampler = samplerOf(environment);
  const delivery = new SpanDelivery(log, batch.maxQueueSize);
  const exporter = delivery.watched(await createExporter(url, environment));
  const provider = new TracerProvider({
    resource: createResource(version),
    ...(sampler && { sampler }),
    spanProcessors: [delivery.bounded(new BatchSpanProcessor({ exporter, ...batch }))],
  });
  const tracer = provider.getTracer('stepwise', version);
  return {
    begin: (request) => new RecordedTrace(tracer, request),
    async close() {
      const flushed = provider.shutdown().catch(() => {}); // `delivery` counts lost spans
      const waiting = new AbortController();
      const timeout = sleep(LAST_SPANS_MS, undefined, { signal: waiting.signal }).catch(() => {});
      await Promise.race([flushed, timeout]);
      waiting.abort();
      delivery.close();
    },
  };
}

/** Exporters by protocol. Only one of the packages is loaded. */
const exporters = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
} as const;

async function createExporter(url: string, environment: Environment): Promise<SpanExporter> {
  const isJson = protocolOf(environment) === 'http/json';
  const { OTLPTraceExporter } = await exporters[isJson ? 'http/json' : 'http/protobuf']();
  return new OTLPTraceExporter({ url });
}

const protocolOf = (environment: Environment): string | undefined =>
  environment['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || environment['OTEL_EXPORTER_OTLP_PROTOCOL'];

function createResource(version: string): Resource {
  const own = { 'service.name': 'stepwise', 'service.version': version, 'service.instance.id': randomUUID() };
  return defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [envDetector] }));
}

/** Samplers by the values of `OTEL_TRACES_SAMPLER`. The default is the SDK's own, `parentbased_always_on`. */
const samplers: Readonly<Record<string, (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

function samplerOf(environment: Environment): Sampler | undefined {
  const create = samplers[environment['OTEL_TRACES_SAMPLER'] ?? ''];
  return create?.(Math.min(1, numberIn(environment, 'OTEL_TRACES_SAMPLER_ARG', 1)));
}

const batchOf = (environment: Environment) => ({
  scheduledDelayMillis: numberIn(environment, 'OTEL_BSP_SCHEDULE_DELAY', 5_000),
  exportTimeoutMillis: numberIn(environment, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000),
  maxQueueSize: numberIn(environment, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
  maxExportBatchSize: numberIn(environment, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
});

/** Reads a number. As OpenTelemetry specifies, an invalid value is treated as unset. */
function numberIn(environment: Environment, name: string, standard: number): number {
  const text = environment[name]?.trim() ?? '';
  const value = text === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : standard;
}
