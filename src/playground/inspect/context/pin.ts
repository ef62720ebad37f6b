import type { ReportItem, StepRequestInput } from '../../../sdk/index.js';

/**
 * The request with an item given room before all others of the context: a file is asked for by its own name and first, a
 * chunk of a search becomes a pinned item. Null if nobody knows what to pin: `content` is what the project has under that
 * path, if it has any.
 */
export function pinnedIn(
  request: StepRequestInput,
  item: ReportItem,
  content: string | undefined,
): StepRequestInput | null {
  if (item.kind === 'vector') return pinChunk(request, item.id);
  const inline = request.inline_context?.files ?? [];
  const path = pathOf(item);
  const isSent = inline.some((file) => file.path === path);
  if (!isSent && item.status === 'unavailable' && content === undefined) return null;
  const others = (request.explicit_context_paths ?? []).filter((other) => other !== item.id);
  return {
    ...request,
    explicit_context_paths: [item.id, ...others],
    ...(!isSent &&
      content !== undefined && {
        inline_context: { ...request.inline_context, files: [...inline, { path, content }] },
      }),
  };
}

/** Without the lines that are asked for, `src/a.ts:10-40`. */
export const pathOf = ({ id }: Pick<ReportItem, 'id'>): string => id.replace(/:\d+(-\d+)?$/, '');

/** Turns are folded by age, and what is there already needs no pin. */
export const canBePinned = ({ kind, status }: ReportItem): boolean =>
  ['explicit', 'vector', 'implicit'].includes(kind) &&
  ['dropped', 'truncated', 'unavailable'].includes(status);

function pinChunk(request: StepRequestInput, id: string): StepRequestInput | null {
  const chunks = request.vector_search_results_to_include ?? [];
  const chunk = chunks.find((each) => idOf(each) === id);
  if (!chunk) return null;
  const pinned = request.inline_context?.pinned_items ?? [];
  return {
    ...request,
    vector_search_results_to_include: chunks.filter((each) => each !== chunk),
    pinned_item_ids_to_include: [id, ...(request.pinned_item_ids_to_include ?? [])],
    inline_context: {
      ...request.inline_context,
      pinned_items: [{ id, title: id, content: chunk.content }, ...pinned],
    },
  };
}

type Chunk = NonNullable<StepRequestInput['vector_search_results_to_include']>[number];

/** As the report names a chunk: by its path, and by its lines where the first is known. */
function idOf({ path, content, start_line: first }: Chunk): string {
  if (first === undefined || first === null) return path;
  const lines = content === '' ? 1 : content.replace(/\n$/, '').split('\n').length;
  return `${path}:${first}-${first + lines - 1}`;
}
