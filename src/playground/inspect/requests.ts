import type { RunContext, StepRequestInput } from '../../sdk/index.js';

/**
 * Converts the context of a request to run options. In a request, null means absent; options use only undefined
 * (rule: null-is-absent).
 */
export const contextOf = (request: StepRequestInput): RunContext => ({
  paths: request.explicit_context_paths ?? undefined,
  pinned: request.pinned_item_ids_to_include ?? undefined,
  focus: request.implicit_context ?? undefined,
  vectorResults: request.vector_search_results_to_include?.map(
    ({ score, start_line, end_line, ...chunk }) => ({
      ...chunk,
      score: score ?? undefined,
      start_line: start_line ?? undefined,
      end_line: end_line ?? undefined,
    }),
  ),
  inline: {
    files: request.inline_context?.files ?? undefined,
    pinned_items: request.inline_context?.pinned_items?.map(({ title, ...item }) => ({
      ...item,
      title: title ?? undefined,
    })),
  },
});

/** Returns the request with a report of all items, whatever report the run asked for. */
export const withFullReport = (request: StepRequestInput): StepRequestInput => ({
  ...request,
  include: { ...request.include, report: 'full' },
});

/**
 * Returns the request with another token limit. A lower limit lowers the tokens reserved for the reply in proportion;
 * a higher one leaves them unchanged.
 */
export function withLimit(request: StepRequestInput, tokenLimit: number): StepRequestInput {
  const { tokenLimit: before, reservedOutputTokens: reserve } = request.llm_config;
  const lowered = Math.max(1, Math.floor((reserve / before) * tokenLimit));
  return {
    ...request,
    llm_config: { ...request.llm_config, tokenLimit, reservedOutputTokens: Math.min(reserve, lowered) },
  };
}
