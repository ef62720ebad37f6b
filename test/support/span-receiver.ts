import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listen } from './listen.js';
import { until } from './until.js';

export interface ReceivedSpan {
  readonly name: string;
  /** Kind of the span: 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: { readonly code?: number; readonly message?: string };
  /** Attributes of the service that recorded the span. */
  readonly resource: Readonly<Record<string, unknown>>;
}

/** A server on loopback that receives spans by OTLP as JSON. */
export interface SpanReceiver {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** The received requests as text, including their headers. */
  readonly posts: readonly string[];
  /** Returns all spans so far, ordered by start time; spans of the same millisecond by end time. */
  spans(): ReceivedSpan[];
  /** Resolves to the spans of a trace once it is complete. */
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

/** Returns whether a trace is complete: it contains its server span, and the parent of every other span. */
function isWhole(spans: readonly ReceivedSpan[]): boolean {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return (
    spans.some(({ kind }) => kind === 2) &&
    spans.every((span) => span.kind === 2 || ids.has(span.parentSpanId ?? ''))
  );
}

/** Returns the names of the spans as an indented tree, ordered by start time. */
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

/** Returns the value of an attribute as text or number. Exporters write whole numbers in either form. */
function plainValue(value: Attribute['value']): unknown {
  const [[type = '', given] = []] = Object.entries(value);
  if (type === 'intValue') return Number(given);
  if (type !== 'arrayValue') return given;
  return (given as { values: Attribute['value'][] }).values.map(plainValue); // cast: OTLP's schema requires it
}
