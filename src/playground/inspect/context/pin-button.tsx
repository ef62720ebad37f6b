import { useState } from 'preact/hooks';
import { type ReportItem, type StepRequestInput, spellUnseen } from '../../../sdk/index.js';
import { project } from '../../project/project.js';
import { problemOf } from '../../state/next-prompt.js';
import { active } from '../../state/runs.js';
import { models } from '../../state/settings.js';
import { tokens } from '../../text/figures.js';
import type { Inspected } from '../inspected.js';
import { withFullReport, withLimit } from '../requests.js';
import { beginBranch } from './begin-branch.js';
import { canBePinned, pathOf, pinnedIn } from './pin.js';
import { findLimit } from './raised-limit.js';

interface Refusal {
  readonly why: string;
  /** The same request with a token limit at which the prompt includes the whole item. */
  readonly raised?: StepRequestInput;
}

/**
 * Branches from this step with the item pinned. If pinning would not reveal more, says so instead, and offers the
 * token limit that would.
 */
export function PinButton({ item, ...inspected }: Inspected & { readonly item: ReportItem }) {
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const { request } = inspected.step.calls[0] ?? inspected.call;
  if (!request || !canBePinned(item)) return null;
  const branch = (pinned: StepRequestInput, change: string) =>
    beginBranch(inspected, { request: pinned, change: `${item.id} pinned${change}` });
  const pin = async (): Promise<void> => {
    const pinned = pinnedIn(request, item, await project.value?.read(pathOf(item)));
    if (!pinned)
      return setRefusal({
        why: 'It cannot be pinned: neither the request nor the open project contains it.',
      });
    const refused = await whyItStaysOut(inspected, pinned, item);
    if (refused) return setRefusal(refused);
    await branch(pinned, '');
  };
  const { why, raised } = refusal ?? {};
  const limit = tokens(raised?.llm_config.tokenLimit ?? 0);
  return (
    <>
      <div class="item-actions">
        <button type="button" class="small-button" disabled={active.value !== null} onClick={pin}>
          Pin and re-run<span class="hidden"> with {spellUnseen(item.id)}</span>
        </button>
      </div>
      <p role="status" class="problem item-problem">
        {why}
      </p>
      {raised && (
        <p class="item-raise">
          <button
            type="button"
            class="small-button"
            disabled={active.value !== null}
            onClick={() => branch(raised, `, ${limit} tokens`)}
          >
            Raise the limit to {limit} and re-run
          </button>
        </p>
      )}
    </>
  );
}

/** Explains why pinning the item would reveal no more of it; null if it would. */
async function whyItStaysOut(
  { client }: Inspected,
  pinned: StepRequestInput,
  { id, tokens: before }: ReportItem,
): Promise<Refusal | null> {
  try {
    const { context_report: report } = await client.preview(withFullReport(pinned));
    const now = report.items.find((item) => item.id === id && item.status !== 'duplicate');
    if (now && now.tokens > before) return null;
    const limit = await findLimit({ client, request: pinned, id, window: windowOf(pinned) });
    const needed = now?.original_tokens ? `: it needs ${tokens(now.original_tokens)} tokens` : '';
    return {
      why: `Even as the first file, no more of it fits into the share for files${needed}.`,
      ...(limit !== null && { raised: withLimit(pinned, limit) }),
    };
  } catch (error) {
    return { why: problemOf(error) };
  }
}

/** Returns the context window of the request's model; null if the service does not know it. */
function windowOf({ llm_config: { modelName } }: StepRequestInput): number | null {
  return models.value?.models.find(({ name }) => name === modelName)?.context_window ?? null;
}
