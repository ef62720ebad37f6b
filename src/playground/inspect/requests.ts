import type { RunContext, StepRequestInput } from '../../sdk/index.js';

/** The context of a request, as a run is given it: for every optional field of the wire null is as good as absent; an option knows only the latter (rule: null-is-absent). */
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

/** Every item is wanted, whatever the run asked for. */
export const withFullReport = (request: StepRequestInput): StepRequestInput => ({
  ...request,
  include: { ...request.include, report: 'full' },
});

/** With another limit. The reply keeps its reserve as long as it leaves the prompt half. */
export const withLimit = (request: StepRequestInput, tokenLimit: number): StepRequestInput => ({
  ...request,
  llm_config: {
    ...request.llm_config,
    tokenLimit,
    reservedOutputTokens: Math.min(request.llm_config.reservedOutputTokens, Math.floor(tokenLimit / 2)),
  },
});
