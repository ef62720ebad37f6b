import { describe, expect, test } from '@jest/globals';
import { explainFailure } from '../../../examples/vscode/src/run/explain-failure.js';

const failure = { message: 'A fixed text.', retry_after_ms: null };

describe('explanation of a failure in the extension', () => {
  test.each([
    [400, '1 s'],
    [99_000, '99 s'],
    [100_000, '2 min'],
    [3_600_000, '60 min'],
    [86_400_000, '24 h'],
  ])('the explanation of a rate limit formats %d ms as %s', (retry_after_ms, words) => {
    const { sentence } = explainFailure({ ...failure, code: 'rate_limited', retry_after_ms });
    expect(sentence).toBe(`Too many requests for the service. Ask again in ${words} to continue.`);
  });

  test('the explanation of a failure names the rejected field or the missing feature of an older service', () => {
    const details = [{ path: 'llm_config.tokenLimit', message: 'Too small.' }];
    expect(explainFailure({ ...failure, code: 'invalid_request', details }).sentence).toBe(
      'The service rejected this request (llm_config.tokenLimit: Too small.). It may be older than this extension.',
    );
    expect(explainFailure({ ...failure, code: 'invalid_request' }).sentence).toContain(
      'this request. It may',
    );
    expect(explainFailure({ ...failure, code: 'not_found' })).toMatchObject({
      sentence: expect.stringContaining('older than this extension: update it'),
      remedy: { command: 'stepwise.openSettings' },
    });
  });

  test('the explanation of an unknown failure is the service’s own message', () => {
    expect(explainFailure({ ...failure, code: 'of_a_newer_service' })).toEqual({
      sentence: 'A fixed text.',
      remedy: null,
    });
  });
});
