/** The position of a request in a distributed trace (W3C Trace Context, https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** Span id of the caller: 16 hexadecimal digits. */
  readonly parentId: string;
  /** One byte; its lowest bit is set if the caller records the trace. */
  readonly flags: number;
  /** Data of other tracing systems; may be empty. */
  readonly state: string;
}

/** Headers as Node parses them; repeated ones are joined by commas. */
type SentHeaders = Readonly<Partial<Record<string, string | string[]>>>;

/** The headers that pass a trace on. */
export type TraceHeaders = Readonly<Partial<Record<'traceparent' | 'tracestate', string>>>;

const FIRST_VERSION = '00';
/**
 * Matches a `traceparent` header of version 00 or later. Of later versions, only the fields that version 00 has are
 * read.
 */
const TRACEPARENT = /^(?!ff)([\da-f]{2})-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads the caller's trace headers. Returns undefined without a valid `traceparent` (rule: trace-context). */
export function readTraceContext({ traceparent, tracestate }: SentHeaders): TraceContext | undefined {
  const [, version, traceId = '', parentId = '', flags = '', further] =
    TRACEPARENT.exec(String(traceparent ?? '').trim()) ?? [];
  if (version === undefined || (version === FIRST_VERSION && further !== undefined)) return undefined;
  return { traceId, parentId, flags: Number.parseInt(flags, 16), state: readState(String(tracestate ?? '')) };
}

/** Writes a trace context as headers. */
export function traceHeaders({ traceId, parentId, flags, state }: TraceContext): TraceHeaders {
  const traceparent = `${FIRST_VERSION}-${traceId}-${parentId}-${flags.toString(16).padStart(2, '0')}`;
  return { traceparent, ...(state !== '' && { tracestate: state }) };
}

const MAX_MEMBERS = 32;
const MEMBER =
  /^(?:[a-z][a-z\d_*/-]{0,255}|[a-z\d][a-z\d_*/-]{0,240}@[a-z][a-z\d_*/-]{0,13})=[ -+\--<>-~]{0,255}[!-+\--<>-~]$/;

/** Returns a `tracestate` list without empty members; an empty text if any member is invalid. */
function readState(sent: string): string {
  const members = sent
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  return members.length <= MAX_MEMBERS && members.every((member) => MEMBER.test(member))
    ? members.join(',')
    : '';
}
