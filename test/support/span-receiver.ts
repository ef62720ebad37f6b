import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.js';
import { until } from './until.js';

/** A span in the form in which the service exported it. */
export interface ReceivedSpan {
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
  /** Resource attributes of the service that recorded the span. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A loopback server that receives OTLP as JSON. */
export interface SpanReceiver {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Received requests as raw text, headers included. */
  readonly posts: readonly string[];
  /** Returns all spans so far by start time; equal start times are in the order of their ends. */
  spans(): ReceivedSpan[];
  /** Resolves with the spans of a trace once all of them have arrived. */
  trace(traceId: string): Promise<ReceivedSpan[]>;
  close(): Promise<void>;
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const taken: Answer = (_, response) => void response.setHeader('content-type', 'application/json').end('{}');

export async function startSpanReceiver(answer: Answer = taken): Promise<SpanReceiver> {
  const posts: string[] = [];
  const received: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    posts.push(JSON.stringify(request.headers) + body);
    if (request.headers['content-type'] === 'application/json') received.push(...spansIn(JSON.parse(body)));
    answer(request, response);
  });
  const url = await listen(server);
  const spans = () =>
    received.toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)));
  return {
    url,
    posts,
    spans,
    async trace(traceId) {
      return until(() => spans().filter((span) => span.traceId === traceId), isWhole);
    },
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Returns whether the server span and the parents of all other spans have arrived. */
function isWhole(spans: readonly ReceivedSpan[]): boolean {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return (
    spans.some(({ kind }) => kind === 2) &&
    spans.every((span) => span.kind === 2 || ids.has(span.parentSpanId ?? ''))
  );
}

/** Returns the names of the spans by start time, each indented below its parent. */
export function treeOf(spans: readonly ReceivedSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const below = (span: ReceivedSpan): string[] => [
    span.name,
    ...spans
      .filter(({ parentSpanId }) => parentSpanId === span.spanId)
      .flatMap(below)
      .map((line) => `  ${line}`),
  ];
  return spans.filter(({ parentSpanId = '' }) => !ids.has(parentSpanId)).flatMap(below);
}

interface Posted {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly PostedSpan[] }[];
  }[];
}
interface PostedSpan extends Omit<ReceivedSpan, 'attributes' | 'resource'> {
  readonly attributes?: readonly Attribute[];
}
interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

function spansIn({ resourceSpans }: Posted): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({
        ...span,
        attributes: valuesOf(span.attributes ?? []),
        resource: valuesOf(resource.attributes),
      })),
    ),
  );
}

const valuesOf = (attributes: readonly Attribute[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));

/** Some exporters send an integer as text, others as a number. */
function plainValue(value: Attribute['value']): unknown {
  const [[type = '', given] = []] = Object.entries(value);
  if (type === 'intValue') return Number(given);
  if (type !== 'arrayValue') return given;
  return (given as { values: Attribute['value'][] }).values.map(plainValue); // by OTLP's own schema
}
