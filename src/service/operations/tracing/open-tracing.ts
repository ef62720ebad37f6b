import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { defaultResource, type Resource, resourceFromAttributes } from '@opentelemetry/resources';
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

/** Where spans go, and which. Times are in milliseconds. */
export interface TracingOptions {
  /** Of the collector: all of it, with the path for traces. */
  readonly url: string;
  readonly protocol: 'http/protobuf' | 'http/json';
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly compression: keyof typeof CompressionAlgorithm;
  /** PEM files: whom to trust, and who we are. */
  readonly certificates: Readonly<Record<'ca' | 'cert' | 'key', string | undefined>>;
  readonly sampler: { readonly name: SamplerName; readonly ratio: number };
  readonly resource: Readonly<Record<string, string>>;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly exportTimeoutMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
  };
}

/** In milliseconds: how long the last spans may take to leave when the service ends. */
const LAST_SPANS_MS = 2_000;

/** Records the requests of a service through OpenTelemetry's own SDK, which is loaded with this file (rule: tracing). */
export async function openTracing(
  options: TracingOptions,
  { log, version }: { readonly log: Logger; readonly version: string },
): Promise<Tracing> {
  const delivery = new SpanDelivery(log, options.batch.maxQueueSize);
  const agent = await createAgent(options);
  const exporter = delivery.watched(await createExporter(options, agent));
  const provider = new TracerProvider({
    resource: resourceOf(options.resource, version),
    sampler: samplerOf(options.sampler),
    spanProcessors: [delivery.bounded(new BatchSpanProcessor({ exporter, ...options.batch }))],
  });
  const tracer = provider.getTracer('stepwise', version);
  return {
    begin: (request) => new RecordedTrace(tracer, request),
    async close() {
      const over = new AbortController();
      const flushed = provider.shutdown().catch(() => {}); // what is lost is counted
      await Promise.race([flushed, sleep(LAST_SPANS_MS, undefined, { signal: over.signal }).catch(() => {})]);
      over.abort();
      delivery.close();
      giveUp(agent);
    },
  };
}

/** The connections to the collector. */
async function createAgent({ url, certificates }: TracingOptions): Promise<Agent> {
  if (url.startsWith('http:')) return new Agent({ keepAlive: true });
  const [https, ...files] = await Promise.all([
    import('node:https'),
    ...Object.entries(certificates).map(
      async ([use, path]) => [use, path && (await readFile(path))] as const,
    ),
  ]);
  return new https.Agent({ keepAlive: true, ...Object.fromEntries(files) });
}

/** What still hangs breaks, and is not tried again: nothing of ours holds a process that goes on. */
function giveUp(agent: Agent): void {
  agent.createConnection = () => {
    throw new Error('The service has ended.');
  };
  agent.destroy();
}

/** One of the two is loaded. */
const exporters = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
} as const;

async function createExporter(
  { url, headers, timeoutMs, compression, protocol }: TracingOptions,
  agent: Agent,
): Promise<SpanExporter> {
  const { OTLPTraceExporter } = await exporters[protocol]();
  return new OTLPTraceExporter({
    url,
    headers,
    timeoutMillis: timeoutMs,
    compression: CompressionAlgorithm[compression],
    httpAgentOptions: () => agent,
  });
}

function resourceOf(given: TracingOptions['resource'], version: string): Resource {
  const own = { 'service.name': 'stepwise', 'service.version': version, 'service.instance.id': randomUUID() };
  return defaultResource().merge(resourceFromAttributes({ ...own, ...given }));
}

const samplers = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio: number) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio: number) =>
    new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
} as const satisfies Record<string, (ratio: number) => Sampler>;

type SamplerName = keyof typeof samplers;

const samplerOf = ({ name, ratio }: TracingOptions['sampler']): Sampler => samplers[name](ratio);
