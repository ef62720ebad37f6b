import { expect, test } from '@jest/globals';
import { readRetryAfterMs as read } from '../../../../src/service/providers/upstream/classify-failure.js';

test.each([
  ['seconds', { 'retry-after': '2' }, 2_000],
  ['a fraction of a second', { 'retry-after': '0.25' }, 250],
  ['zero', { 'retry-after': '0' }, 0],
  [
    'milliseconds, which take precedence over seconds',
    { 'retry-after-ms': '1500', 'retry-after': '9' },
    1_500,
  ],
  ['more than an hour', { 'retry-after': '86400' }, 3_600_000],
  ['more than a number holds', { 'retry-after': '9'.repeat(400) }, 3_600_000],
  ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, 0],
  ['a date far away', { 'retry-after': 'Fri, 31 Dec 2199 23:59:59 GMT' }, 3_600_000],
  ['several headers, of which the first counts', { 'retry-after': ['2', '9'] as never }, 2_000],
  ['a negative number', { 'retry-after': '-5' }, null],
  ['an unreadable text', { 'retry-after': 'soon' }, null],
  ['an empty header', { 'retry-after': ' ' }, null],
  ['no header', {}, null],
])('the Retry-After header is read: %s (rule: retry-after)', (_, headers, milliseconds) => {
  expect(read(headers)).toBe(milliseconds);
});

test('a date in Retry-After is read as the time until then (rule: retry-after)', () => {
  const inAMinute = read({ 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
  expect(inAMinute).toBeGreaterThan(55_000);
  expect(inAMinute).toBeLessThanOrEqual(60_000);
});
