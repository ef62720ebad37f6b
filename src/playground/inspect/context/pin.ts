import type { ReportItem, StepRequestInput } from '../../../sdk/index.js';

/**
 * Returns the request with an item placed before all others in the context: a file by its path, a search chunk as a
 * pinned item. Returns null if the item cannot be pinned. `content` is the text of the file in the open project, if
 * there is one.
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

/** Removes the line numbers from an id such as `src/a.ts:10-40`. */
export const pathOf = ({ id }: Pick<ReportItem, 'id'>): string => id.replace(/:\d+(-\d+)?$/, '');

/** Returns whether an item can be pinned. Turns cannot, because they are dropped by age; included items need no pin. */
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

/** Returns the id that the report gives a chunk: its path, with line numbers if the first line is known. */
function idOf({ path, content, start_line: first }: Chunk): string {
  if (first === undefined || first === null) return path;
  const lines = content === '' ? 1 : content.replace(/\n$/, '').split('\n').length;
  return `${path}:${first}-${first + lines - 1}`;
}
