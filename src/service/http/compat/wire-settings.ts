import type { Request } from 'express';
import { type Protocol, protocolSchema } from '../../../contract/protocol.js';
import { RequestRefused } from '../failure/to-failure.js';

/** The settings in a client's headers (rule: compatible-headers). */
export interface WireSettings {
  readonly protocol: Protocol | undefined;
  readonly tokenLimit: number | undefined;
  readonly corrections: number;
  readonly reports: boolean;
}

const DEFAULT_CORRECTIONS = 1;
const MAX_TOKEN_LIMIT = 2 ** 31 - 1;

/** Reads the headers of a request. Throws `RequestRefused` for an unknown value. */
export function readSettings(request: Pick<Request, 'get'>): WireSettings {
  const header = <Value>(name: string, expected: string, read: (text: string) => Value | undefined) => {
    const text = request.get(name);
    const value = text === undefined ? undefined : read(text.trim());
    if (text !== undefined && value === undefined) throw unknownValue(name, expected);
    return value;
  };
  const isReported = (text: string) => (text === 'full' ? true : text === 'none' ? false : undefined);
  return {
    protocol: header('X-Stepwise-Protocol', `one of: ${protocolSchema.options.join(', ')}`, protocolNamed),
    tokenLimit: header('X-Stepwise-Token-Limit', 'a number of tokens of at least 2', tokensIn),
    corrections: header('X-Stepwise-Corrections', '0, 1 or 2', correctionsIn) ?? DEFAULT_CORRECTIONS,
    reports: header('X-Stepwise-Report', 'full or none', isReported) ?? false,
  };
}

const protocolNamed = (text: string): Protocol | undefined => protocolSchema.safeParse(text).data;

const correctionsIn = (text: string): number | undefined => (/^[012]$/.test(text) ? Number(text) : undefined);

function tokensIn(text: string): number | undefined {
  const tokens = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return tokens >= 2 && tokens <= MAX_TOKEN_LIMIT ? tokens : undefined;
}

function unknownValue(name: string, expected: string): RequestRefused {
  return new RequestRefused('invalid_request', [
    { path: name, code: 'invalid_header', message: `expected ${expected}` },
  ]);
}
