import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { get_encoding } from 'tiktoken';
import { StepRefused } from '../../../src/service/step/interruption.js';
import { anyRequest } from '../../support/arbitrary-request.js';
import { framing, prepare, textOf } from '../../support/prepare.js';

const reference = get_encoding('o200k_base');
afterAll(() => reference.free());

const RUNS = 10_000;
/** The reference tokenizer is quadratic on long runs of one character class, so it counts only every tenth prompt. */
const COUNTED_AGAIN = 10;

test(`prompt and output reserve never exceed the token limit in ${RUNS} random requests (rule: prompt-budget)`, async () => {
  let fitted = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const { tokenLimit, reservedOutputTokens } = request.llm_config;
      const prepared = await prepare(request).catch((error: unknown) => {
        if (error instanceof StepRefused && error.code === 'token_budget_exceeded') return undefined;
        throw error;
      });
      if (!prepared) return;
      fitted += 1;
      const { prompt, report } = prepared;
      expect(report.prompt_tokens + reservedOutputTokens).toBeLessThanOrEqual(tokenLimit);
      expect(report.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.prompt_tokens);
      if (fitted % COUNTED_AGAIN !== 0) return;
      const counted = [prompt.system, ...prompt.messages.map(textOf)].reduce(
        (sum, text) => sum + framing.message + reference.encode(text, [], []).length,
        framing.prompt,
      );
      expect(report.prompt_tokens).toBe(counted);
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(fitted).toBeGreaterThan(RUNS / 2);
});
