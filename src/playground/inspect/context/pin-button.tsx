import { useState } from 'preact/hooks';
import { type ReportItem, type StepRequestInput, spellUnseen } from '../../../sdk/index.js';
import { project } from '../../project/project.js';
import { problemOf } from '../../state/next-prompt.js';
import { active } from '../../state/runs.js';
import { tokens } from '../../text/figures.js';
import type { Inspected } from '../inspected.js';
import { withFullReport } from '../requests.js';
import { beginBranch } from './begin-branch.js';
import { canBePinned, pathOf, pinnedIn } from './pin.js';

/** Branches from this step with the item pinned; if pinning would not reveal more, says so instead. */
export function PinButton({ item, ...inspected }: Inspected & { readonly item: ReportItem }) {
  const [problem, setProblem] = useState<string | null>(null);
  const { request } = inspected.step.calls[0] ?? inspected.call;
  if (!request || !canBePinned(item)) return null;
  const pin = async (): Promise<void> => {
    const pinned = await requestWithPin(request, item);
    if (!pinned)
      return setProblem('It cannot be pinned: neither the request nor the open project contains it.');
    const refusal = await whyItStaysOut(inspected, pinned, item);
    if (refusal !== null) return setProblem(refusal);
    await beginBranch(inspected, { request: pinned, change: `${item.id} pinned` });
  };
  return (
    <>
      <div class="item-actions">
        <button type="button" class="small-button" disabled={active.value !== null} onClick={pin}>
          Pin and re-run<span class="hidden"> with {spellUnseen(item.id)}</span>
        </button>
      </div>
      <p role="status" class="problem item-problem">
        {problem}
      </p>
    </>
  );
}

async function requestWithPin(request: StepRequestInput, item: ReportItem): Promise<StepRequestInput | null> {
  return pinnedIn(request, item, await project.value?.read(pathOf(item)));
}

/** Explains why pinning the item would reveal no more of it; null if it would. */
async function whyItStaysOut(
  { client }: Inspected,
  pinned: StepRequestInput,
  { id, tokens: before }: ReportItem,
): Promise<string | null> {
  try {
    const { context_report: report } = await client.preview(withFullReport(pinned));
    const now = report.items.find((item) => item.id === id && item.status !== 'duplicate');
    if (now && now.tokens > before) return null;
    return now?.original_tokens
      ? `Pinning would not reveal more: the item needs ${tokens(now.original_tokens)} tokens. Choose a larger budget below.`
      : 'Pinning would not reveal more of this item.';
  } catch (error) {
    return problemOf(error);
  }
}
