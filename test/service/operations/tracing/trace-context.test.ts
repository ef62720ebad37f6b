import { describe, expect, test } from '@jest/globals';
import { readTraceContext, traceHeaders } from '../../../../src/service/operations/tracing/trace-context.js';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${parentId}-01`;

describe('reading traceparent (rule: trace-context)', () => {
  test('a traceparent of version 00 is read', () => {
    expect(readTraceContext({ traceparent })).toEqual({ traceId, parentId, flags: 1, state: '' });
  });

  test.each([
    ['unknown flags are kept', `00-${traceId}-${parentId}-0a`, 10],
    ['a later version is read like version 00', `cc-${traceId}-${parentId}-01`, 1],
    [
      'additions of a later version are ignored',
      `cc-${traceId}-${parentId}-01-what-the-future-will-be-like`,
      1,
    ],
  ])('reading a traceparent: %s', (_, sent, flags) => {
    expect(readTraceContext({ traceparent: sent })).toEqual({ traceId, parentId, flags, state: '' });
  });

  test.each([
    ['no text', ''],
    ['words', 'canary'],
    ['the invalid version ff', `ff-${traceId}-${parentId}-01`],
    ['a version of one digit', `0-${traceId}-${parentId}-01`],
    ['more than version 00 has', `${traceparent}-more`],
    ['more than version 00 has, without a hyphen', `${traceparent}00`],
    ['more than a later version may have there', `cc-${traceId}-${parentId}-01.more`],
    ['no trace', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['no parent', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capitals', traceparent.toUpperCase()],
    ['a short trace id', `00-${traceId.slice(1)}-${parentId}-01`],
    ['a long parent id', `00-${traceId}-${parentId}0-01`],
    ['letters beyond f', `00-g${traceId.slice(1)}-${parentId}-01`],
    ['flags of one digit', `00-${traceId}-${parentId}-1`],
    ['no flags', `00-${traceId}-${parentId}`],
    ['two headers, as Node joins them', `${traceparent}, ${traceparent}`],
  ])('a traceparent with %s is ignored together with tracestate', (_, sent) => {
    expect(readTraceContext({ traceparent: sent, tracestate: 'a=1' })).toBeUndefined();
  });

  test('a tracestate without traceparent is ignored', () => {
    expect(readTraceContext({ tracestate: 'a=1' })).toBeUndefined();
  });
});

describe('reading tracestate (rule: trace-context)', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `k${index}=1`).join(',');

  test.each([
    ['a=1', 'a=1'],
    ['foo=1,bar=2', 'foo=1,bar=2'],
    ['foo=1 \t , \t bar=2, \t baz=3', 'foo=1,bar=2,baz=3'],
    ['foo=1,,bar=2,', 'foo=1,bar=2'],
    ['foo=1,foo=2', 'foo=1,foo=2'],
    ['t61rcwpm5gna-_*/@m=a b!#$%&~', 't61rcwpm5gna-_*/@m=a b!#$%&~'],
    [`${'z'.repeat(256)}=1`, `${'z'.repeat(256)}=1`],
    [`${'t'.repeat(241)}@${'v'.repeat(14)}=1`, `${'t'.repeat(241)}@${'v'.repeat(14)}=1`],
    [`a=${'1'.repeat(256)}`, `a=${'1'.repeat(256)}`],
    [many(32), many(32)],
  ])('the tracestate %s is passed on in its normal form', (sent, state) => {
    expect(readTraceContext({ traceparent, tracestate: sent })?.state).toBe(state);
  });

  test.each([
    'foo',
    'foo=',
    '=1',
    'foo =1',
    'FOO=1',
    'foo.bar=1',
    'foo@=1,bar=2',
    '@foo=1,bar=2',
    'foo@@bar=1,bar=2',
    'foo@bar@baz=1,bar=2',
    'foo=1=2',
    'foo=\u00e9',
    `${'z'.repeat(257)}=1`,
    `${'t'.repeat(242)}@v=1`,
    `t@${'v'.repeat(15)}=1`,
    `a=${'1'.repeat(257)}`,
    many(33),
  ])('the invalid tracestate %s is dropped, and the trace is kept', (sent) => {
    expect(readTraceContext({ traceparent, tracestate: sent })).toEqual({
      traceId,
      parentId,
      flags: 1,
      state: '',
    });
  });
});

test('trace headers are passed on as version 00, with the tracestate in normal form', () => {
  const sent = { traceparent: `cc-${traceId}-${parentId}-01-later`, tracestate: 'a=1, b=2' };
  const context = readTraceContext(sent);
  expect(context && traceHeaders(context)).toEqual({ traceparent, tracestate: 'a=1,b=2' });
  const bare = readTraceContext({ traceparent });
  expect(bare && traceHeaders(bare)).toEqual({ traceparent });
});
