import { describe, expect, test } from '@jest/globals';
import {
  classifyFailure,
  classifyInside,
  connectionFailure,
} from '../../../../src/service/providers/upstream/classify-failure.js';
import type { VendorError } from '../../../../src/service/providers/vendor.js';

const request = {
  provider: 'openai',
  strippable: ['temperature'],
  secrets: [],
  codes: new Map([['insufficient_quota', 'billing']] as const),
};
const silent: VendorError = {
  message: '',
  codes: [],
  parameter: undefined,
  status: undefined,
  retryAfterMs: null,
  words: undefined,
};

describe('a second request after an error response (rule: second-request)', () => {
  test.each([
    [429, {}],
    [500, {}],
    [502, {}],
    [503, {}],
    [529, {}],
    [500, { 'x-should-retry': 'true' }],
  ])('the status %i with the headers %j allows a second request', (status, headers) => {
    expect(classifyFailure({ status, headers, error: silent }, request).repeatable).toBe(true);
  });

  test.each([
    [400, {}],
    [401, {}],
    [402, {}],
    [403, {}],
    [404, {}],
    [408, {}],
    [409, {}],
    [422, {}],
    [429, { 'x-should-retry': 'false' }],
    [500, { 'x-should-retry': 'false' }],
  ])('the status %i with the headers %j allows no second request', (status, headers) => {
    expect(classifyFailure({ status, headers, error: silent }, request).repeatable).toBe(false);
  });

  test('a 429 for an exhausted quota allows no second request', () => {
    const error = { ...silent, codes: ['insufficient_quota'] };
    const failed = classifyFailure({ status: 429, headers: {}, error }, request);
    expect(failed.failure.failure).toBe('billing');
    expect(failed.repeatable).toBe(false);
  });

  test.each([
    429, 500, 503,
  ])('an error with status %i inside a 200 response allows no second request', (status) => {
    expect(classifyInside({ ...silent, status }, request).repeatable).toBe(false);
  });
});

describe('a second request after a connection error (rule: second-request)', () => {
  const systemError = (syscall: string, fields = {}) =>
    Object.assign(new Error('failed'), { syscall, ...fields });

  test.each([
    ['the name could not be resolved', systemError('getaddrinfo')],
    ['the connection was refused', systemError('connect')],
    ['connecting took too long', Object.assign(new Error('failed'), { code: 'UND_ERR_CONNECT_TIMEOUT' })],
    [
      'none of several addresses could be reached',
      Object.assign(new Error('failed'), { errors: [systemError('connect'), systemError('connect')] }),
    ],
  ])('a second request is allowed because nothing was written: %s', (_, error) => {
    expect(connectionFailure(error, { provider: 'openai' }).repeatable).toBe(true);
  });

  test.each([
    ['the connection broke while the answer was read', systemError('read')],
    ['the connection broke while the request was written', systemError('write')],
    [
      'one of several errors came after connecting',
      Object.assign(new Error('failed'), { errors: [systemError('connect'), systemError('read')] }),
    ],
    ['the socket was closed', Object.assign(new Error('failed'), { code: 'UND_ERR_SOCKET' })],
    ['the answer is no HTTP', Object.assign(new Error('failed'), { name: 'HTTPParserError' })],
  ])('a second request is not allowed because something may have been written: %s', (_, error) => {
    expect(connectionFailure(error, { provider: 'openai' }).repeatable).toBe(false);
  });
});
