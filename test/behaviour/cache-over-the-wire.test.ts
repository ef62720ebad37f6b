import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { keptSteps, type RunShape, recordRun } from '../support/recorded-run.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

let one: WholeService;
let other: WholeService;
beforeAll(async () => {
  [one, other] = await Promise.all([startWholeService(), startWholeService()]);
});
afterAll(() => Promise.all([one.close(), other.close()]));

const cases = (['openai', 'anthropic'] as const).flatMap((vendor) =>
  (['text', 'xml', 'native'] as const).map((protocol) => ({ vendor, protocol })),
);

describe('the prompt of each step starts with the bytes of the previous prompt (rule: stable-prompt)', () => {
  test.each(
    cases,
  )('with a limit of 32k tokens, each of 10 prompts starts with the complete previous prompt ($vendor, $protocol)', async ({
    vendor,
    protocol,
  }) => {
    const run = await recordRun([one], { vendor, protocol, steps: 10, tokenLimit: 32_000, lines: () => 60 });
    expect(keptSteps(run)).toEqual(Array(9).fill(true));
  }, 30_000);

  test.each(
    cases,
  )('when a run outgrows 32k tokens, at least nine of ten prompts start with the complete previous prompt ($vendor, $protocol)', async ({
    vendor,
    protocol,
  }) => {
    const least = vendor === 'openai' ? 70 : 40; // about 1,100 tokens in the count of each vendor
    const lines = (step: number) => least + (step % 5) * 10;
    const run = await recordRun([one], { vendor, protocol, steps: 40, tokenLimit: 32_000, lines });
    const cuts = keptSteps(run).flatMap((kept, step) => (kept ? [] : [step]));
    expect(cuts.length).toBeGreaterThan(0);
    expect(cuts.slice(1).every((step, index) => step - (cuts[index] ?? 0) >= 10)).toBe(true);
    for (const { step } of run) {
      const { prompt_tokens = 0, token_limit = 0 } = step.context_report ?? {};
      expect(prompt_tokens + 4_000).toBeLessThanOrEqual(token_limit);
    }
  }, 60_000);

  test('two service instances that alternate send the same bytes as one instance alone', async () => {
    const shape: RunShape = {
      vendor: 'anthropic',
      protocol: 'text',
      steps: 14,
      tokenLimit: 8_000,
      lines: (step) => 20 + (step % 4) * 30,
    };
    const alone = await recordRun([one], shape);
    const sentAlone = one.fake.requests.slice(-shape.steps).map(({ rawBody }) => rawBody);
    const counts = [one.fake.requests.length, other.fake.requests.length];
    const inTurn = await recordRun([one, other], shape);
    expect(inTurn.map(({ stable }) => stable)).toEqual(alone.map(({ stable }) => stable));
    const [ones, others] = [one.fake.requests.slice(counts[0]), other.fake.requests.slice(counts[1])];
    const sentInTurn = ones.flatMap((request, index) => [request.rawBody, others[index]?.rawBody]);
    expect(sentInTurn).toEqual(sentAlone);
  }, 30_000);
});
