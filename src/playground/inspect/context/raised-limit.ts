import type { ReportItem, StepRequestInput, StepwiseClient } from '../../../sdk/index.js';
import { withFullReport, withLimit } from '../requests.js';

/** Maximum token limit that the page proposes if it does not know the model's context window. */
const MAX_LIMIT = 1_000_000;
const GROWTH = 1.5;
/** Number of previews that look for a smaller limit after a sufficient one was found. */
const REFINEMENTS = 3;

export interface Raise {
  readonly client: Pick<StepwiseClient, 'preview'>;
  readonly request: StepRequestInput;
  readonly id: string;
  /** The model's context window in tokens; null if unknown. */
  readonly window: number | null;
}

/**
 * Finds a token limit at which the prompt includes an item whole, close to the smallest one; null if none within the
 * model's window does. Rejects with the client's errors.
 */
export async function findLimit({ client, request, id, window }: Raise): Promise<number | null> {
  const max = window ?? MAX_LIMIT;
  const isEnough = async (limit: number): Promise<boolean> => {
    const { context_report } = await client.preview(withFullReport(withLimit(request, limit)));
    return isWhole(context_report.items, id);
  };
  let low = request.llm_config.tokenLimit;
  let high = low;
  do {
    if (high >= max) return null;
    low = high;
    high = Math.min(max, roundUp(high * GROWTH));
  } while (!(await isEnough(high)));
  for (let tries = 0; tries < REFINEMENTS; tries += 1) {
    const middle = roundUp((low + high) / 2);
    if (middle >= high) break;
    if (await isEnough(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** Reports whether the prompt has all lines of an item. */
export const isWhole = (items: readonly ReportItem[], id: string): boolean =>
  items.some((item) => item.id === id && item.status === 'included');

/** Rounds up to two significant digits, since nobody sets a limit of 8,137 tokens. */
function roundUp(count: number): number {
  const unit = 10 ** Math.max(1, Math.floor(Math.log10(count)) - 1);
  return Math.ceil(count / unit) * unit;
}
