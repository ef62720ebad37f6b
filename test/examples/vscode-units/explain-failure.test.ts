import { describe, expect, test } from '@jest/globals';
import { explainFailure } from '../../../examples/vscode/src/run/explain-failure.js';

const failure = { message: 'A fixed text.', retry_after_ms: null };

describe('what a person reads of a failure', () => {
  test.each([
    [400, '1 s'],
    [99_000, '99 s'],
    [100_000, '2 min'],
    [3_600_000, '60 min'],
    [86_400_000, '24 h'],
  ])('after a limit of requests, when to come back: %d ms is %s', (retry_after_ms, words) => {
    const { sentence } = explainFailure({ ...failure, code: 'rate_limited', retry_after_ms });
    expect(sentence).toBe(`Too many requests for the service. Ask again in ${words} to go on.`);
  });

  test('names the field that the service does not take, and what an older one lacks', () => {
    const details = [{ path: 'llm_config.tokenLimit', message: 'Too small.' }];
    expect(explainFailure({ ...failure, code: 'invalid_request', details }).sentence).toBe(
      'The service does not take this request (llm_config.tokenLimit: Too small.). It may be older than this extension.',
    );
    expect(explainFailure({ ...failure, code: 'invalid_request' }).sentence).toContain(
      'this request. It may',
    );
    expect(explainFailure({ ...failure, code: 'not_found' })).toMatchObject({
      sentence: expect.stringContaining('older than this extension: update it'),
      remedy: { command: 'stepwise.openSettings' },
    });
  });

  test('is the service’s own sentence where we know none better', () => {
    expect(explainFailure({ ...failure, code: 'of_a_newer_service' })).toEqual({
      sentence: 'A fixed text.',
      remedy: null,
    });
  });
});
