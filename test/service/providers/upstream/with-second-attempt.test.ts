import { describe, expect, test } from '@jest/globals';
import {
  type AttemptOptions,
  FailedAttempt,
  withSecondAttempt,
} from '../../../../src/service/providers/upstream/attempts.js';
import { ProviderError } from '../../../../src/service/step/provider.js';

const failedAfter = (retryAfterMs: number | null): FailedAttempt =>
  new FailedAttempt(new ProviderError('rate_limited', { provider: 'openai', retryAfterMs }), {
    repeatable: true,
  });
const refusing = (refusedParameter: string): FailedAttempt =>
  new FailedAttempt(new ProviderError('rejected', { provider: 'openai' }), { refusedParameter });

/**
 * Makes attempts with these outcomes, one after the other. Returns their number and the refused parameters that were
 * remembered.
 */
async function attemptsWith(
  outcomes: readonly (FailedAttempt | 'answered')[],
  deadline: Partial<AttemptOptions['deadline']> = {},
) {
  let attempts = 0;
  const remembered: string[] = [];
  const attempt = async () => {
    const outcome = outcomes[attempts++];
    if (outcome instanceof FailedAttempt) throw outcome;
    return outcome;
  };
  const result = await withSecondAttempt(attempt, {
    deadline: { signal: new AbortController().signal, remainingMs: () => 60_000, ...deadline },
    refused: new Set(),
    remember: (parameter) => remembered.push(parameter),
  }).catch((error: unknown) => error);
  return { attempts, remembered, result };
}

describe('the wait before a second request (rule: second-request)', () => {
  test.each([
    ['250 ms of 500 are half', null, 500, 2],
    ['250 ms of 499 are more than half', null, 499, 1],
    ['300 ms of 600 are half', 300, 600, 2],
    ['301 ms of 600 are more than half', 301, 600, 1],
    ['a Retry-After of 10 ms is raised to 250 ms, more than half of 400', 10, 400, 1],
  ])('the wait before a second request may take at most half of the remaining time: %s', async (_, retryAfterMs, remainingMs, expected) => {
    const outcomes = [failedAfter(retryAfterMs), 'answered'] as const;
    const { attempts } = await attemptsWith(outcomes, { remainingMs: () => remainingMs });
    expect(attempts).toBe(expected);
  });

  test('the wait before a second request rejects with the reason of an aborted signal', async () => {
    const leaving = new AbortController();
    const ended = attemptsWith([failedAfter(25_000), 'answered'], { signal: leaving.signal });
    const reason = new Error('left');
    leaving.abort(reason);
    expect(await ended).toMatchObject({ attempts: 1, result: reason });
  });
});

describe('remembering a refused parameter (rule: learned-parameters)', () => {
  test.each([
    ['the second request is answered', 'answered' as const, ['seed']],
    ['the second request is refused for another parameter', refusing('temperature'), ['seed']],
    ['the second request is refused for the same parameter', refusing('seed'), []],
    ['the second request fails', failedAfter(null), []],
  ])('a refused parameter is remembered only if omitting it helped: %s', async (_, second, expected) => {
    const { attempts, remembered } = await attemptsWith([refusing('seed'), second]);
    expect(attempts).toBe(2);
    expect(remembered).toEqual(expected);
  });
});
