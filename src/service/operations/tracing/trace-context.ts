/** Where a request stands in a trace that spans several services: W3C Trace Context, https://www.w3.org/TR/trace-context/. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the span of the caller. */
  readonly parentId: string;
  /** One byte; its lowest bit says that the caller records the trace. */
  readonly flags: number;
  /** What other tracing systems pass on; empty if there is nothing. */
  readonly state: string;
}

/** The headers as Node gives them; those sent more than once are one, joined by commas. */
type SentHeaders = Readonly<Partial<Record<string, string | string[]>>>;

/** The headers that pass a trace on. */
export type TraceHeaders = Readonly<Partial<Record<'traceparent' | 'tracestate', string>>>;

const FIRST_VERSION = '00';
/** Of a later version, only what this one knows is read. */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** The caller's place in its trace; undefined if it names none, or none that can be one (rule: trace-context). */
export function readTraceContext({ traceparent, tracestate }: SentHeaders): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', flags = '', further] =
    TRACEPARENT.exec(String(traceparent ?? '').trim()) ?? [];
  if (version === undefined || (version === FIRST_VERSION && further !== undefined)) return undefined;
  return { traceId, parentId, flags: Number.parseInt(flags, 16), state: readState(String(tracestate ?? '')) };
}

/** The same place as headers. */
export function traceHeaders({ traceId, parentId, flags, state }: TraceContext): TraceHeaders {
  const traceparent = `${FIRST_VERSION}-${traceId}-${parentId}-${flags.toString(16).padStart(2, '0')}`;
  return { traceparent, ...(state !== '' && { tracestate: state }) };
}

const MOST_MEMBERS = 32;
const MEMBER =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/** A list as it was sent, without its empty members; empty if one of its members is none. */
function readState(sent: string): string {
  const members = sent
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  return members.length <= MOST_MEMBERS && members.every((member) => MEMBER.test(member))
    ? members.join(',')
    : '';
}
