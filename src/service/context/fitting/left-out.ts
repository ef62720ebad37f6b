import type { TokenCounter } from '../../../tokens/token-counter.js';
import { fence, inlinePath } from '../fence.js';
import { formatLines } from '../lines.js';
import { linesOf, type PlacedItem, type Slice } from './slices.js';

/**
 * Lists dropped items, one per line (rule: left-out-manifest). If not all lines fit, ends with the number of further
 * items.
 */
export async function fitLeftOut(
  outcomes: readonly PlacedItem[],
  limit: number,
  counter: TokenCounter,
): Promise<string | undefined> {
  const dropped = outcomes.filter(({ slices, placed }) => slices.length > 0 && placed.length === 0);
  const lines = dropped.flatMap(({ slices }) => slices.map(describe));
  const render = async (count: number): Promise<string | undefined> => {
    const rest = lines.length - count;
    const text = [...lines.slice(0, count), ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
    const rendered = fence({ tag: 'left_out', attributes: { reason: 'no room' }, text });
    return (await counter.fits(rendered, limit)) === undefined ? undefined : rendered;
  };
  return lines.length === 0 || limit <= 0 ? undefined : longestFitting(lines.length, render);
}

/** Finds the largest number of lines that fits, by bisection. Tries all lines first. */
async function longestFitting(
  lines: number,
  render: (count: number) => Promise<string | undefined>,
): Promise<string | undefined> {
  let longest: string | undefined;
  let low = 0;
  let high = lines;
  for (let count = lines; low <= high; count = Math.ceil((low + high) / 2)) {
    const fitted = await render(count);
    if (fitted === undefined) high = count - 1;
    else {
      longest = fitted;
      low = count + 1;
    }
  }
  return longest;
}

function describe(slice: Slice): string {
  const { item, text } = slice;
  const name =
    item.tag === 'pinned' ? `pinned ${item.id}` : (item.path ?? item.attributes['path'] ?? item.id);
  const lines = item.path === undefined ? null : formatLines(linesOf(slice));
  const bytes = Buffer.byteLength(text);
  return `${inlinePath(name)}: ${lines === null ? '' : `lines ${lines}, `}${bytes} bytes`;
}
