import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { get_encoding } from 'tiktoken';
import { StepRefused } from '../../../src/service/step/interruption.js';
import { createTokenCounter } from '../../../src/tokens/token-counter.js';
import { anyRequest } from '../../support/arbitrary-request.js';
import { framing, prepare, textOf } from '../../support/prepare.js';

const reference = get_encoding('o200k_base');
afterAll(() => reference.free());

const runs = Number(process.env['BUDGET_RUNS'] ?? 150);

/** Counts the messages as sent with an independent tokenizer, with the documented framing. */
function countIndependently(texts: readonly string[]): number {
  return texts.reduce(
    (sum, text) => sum + framing.message + reference.encode(text, [], []).length,
    framing.prompt,
  );
}

test('prompt and output reserve never exceed the token limit, and the count equals that of an independent tokenizer (rules: prompt-budget, counting)', async () => {
  let fitted = 0;
  await fc.assert(
    fc.asyncProperty(anyRequest, fc.boolean(), async (request, needsExample) => {
      const { tokenLimit, reservedOutputTokens } = request.llm_config;
      try {
        const { prompt, report } = await prepare(request, { needsExample });
        const counted = countIndependently([prompt.system, ...prompt.messages.map(textOf)]);
        expect(report.prompt_tokens).toBe(counted);
        expect(report.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(counted);
        expect(counted + reservedOutputTokens).toBeLessThanOrEqual(tokenLimit);
        fitted += 1;
      } catch (error) {
        if (!(error instanceof StepRefused)) throw error;
        expect(error.code).toBe('token_budget_exceeded');
      }
    }),
    { numRuns: runs },
  );
  expect(fitted).toBeGreaterThan(runs / 2);
}, 600_000);

test('two equal requests get the same prompt and report with separate token counters (rules: counting, stable-prompt)', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyRequest,
      fc.boolean(),
      fc.constantFrom(1, 1.4),
      async (request, needsExample, margin) => {
        const made = () => {
          const tokens = createTokenCounter('o200k_base', { margin });
          return prepare(request, { needsExample, countMargin: margin, tokens }).catch(
            (error: unknown) => error,
          );
        };
        expect(await made()).toEqual(await made());
      },
    ),
    { numRuns: runs },
  );
}, 600_000);

test('the token_budget_exceeded error states a token limit with which the request succeeds (rule: prompt-budget)', async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, fc.boolean(), async (request, needsExample) => {
      const tight = { ...request.llm_config, tokenLimit: 40, reservedOutputTokens: 10 };
      const refusal = await prepare({ ...request, llm_config: tight }, { needsExample }).catch(
        (error: unknown) => error,
      );
      if (!(refusal instanceof StepRefused))
        throw new Error('40 tokens are never enough for the instructions');
      const needed = Number(/^(\d+) tokens are needed/.exec(refusal.details[0]?.message ?? '')?.[1]);
      expect(needed).toBeGreaterThan(40);
      await prepare({ ...request, llm_config: { ...tight, tokenLimit: needed } }, { needsExample });
    }),
    { numRuns: 60 },
  );
}, 120_000);

test('every requested item appears in the context report (rule: context-report)', async () => {
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const roomy = { ...request.llm_config, tokenLimit: 60_000, reservedOutputTokens: 1_000 };
      const { report } = await prepare({ ...request, llm_config: roomy });
      const ids = (kind: string) => report.items.filter((item) => item.kind === kind).map(({ id }) => id);
      expect(ids('explicit')).toEqual(expect.arrayContaining(request.explicit_context_paths ?? []));
      expect(ids('pinned')).toEqual(expect.arrayContaining(request.pinned_item_ids_to_include ?? []));
      expect(ids('vector')).toHaveLength(request.vector_search_results_to_include?.length ?? 0);
      expect(ids('implicit')).toHaveLength(request.implicit_context ? 1 : 0);
    }),
    { numRuns: 60 },
  );
}, 120_000);
