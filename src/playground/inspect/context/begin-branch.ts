import type { StepRequestInput } from '../../../sdk/index.js';
import { draftOf } from '../../branches/branch-draft.js';
import { leaveRun, takeModel } from '../../branches/start-branch.js';
import { inWords, trouble } from '../../state/runs.js';
import type { Inspected } from '../inspected.js';
import { contextOf } from '../requests.js';

/**
 * Branches before the inspected step with the context and budget of a request; resolves when the branch has ended.
 * Shows failures as `trouble`.
 */
export async function beginBranch(
  { branch, step }: Pick<Inspected, 'branch' | 'step'>,
  { request, change }: { readonly request: StepRequestInput; readonly change: string },
): Promise<void> {
  const { saved } = branch;
  if (!saved) return;
  try {
    const problem = takeModel(draftOf(saved, branch, step));
    if (problem !== null) throw new TypeError(problem);
    await leaveRun({
      branch,
      step,
      results: null,
      label: `step ${step.number} again, ${change}`,
      change,
      options: { llmConfig: request.llm_config, context: contextOf(request) },
    });
  } catch (error) {
    trouble.value = inWords(error);
  }
}
