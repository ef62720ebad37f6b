import type { Warning } from '../../contract/step.js';
import type { CompletionRequest } from '../step/provider.js';

/** Parameter that demands a call, under whose name a refusal is remembered. */
const PARAMETER = 'tool_choice';

/** The demand for a call in a request to a provider. */
interface CallDemand {
  /** True if the request must leave it out, because the provider refuses it or cannot combine it. */
  readonly isDropped: boolean;
  /** The parameter if the request contains the demand, so that a second request may omit it. */
  readonly strippable: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Decides whether a request demands a call natively. If not, the prompt still asks for one (rule: client-terms). */
export function demandCall(
  { nativeTools }: Pick<CompletionRequest, 'nativeTools'>,
  refused: ReadonlySet<string>,
  { canCombine = true }: { readonly canCombine?: boolean } = {},
): CallDemand {
  const { choice = 'auto' } = nativeTools ?? {};
  if (choice === 'auto' || choice === 'none') return { isDropped: false, strippable: [], warnings: [] };
  const isDropped = refused.has(PARAMETER) || !canCombine;
  return isDropped
    ? { isDropped, strippable: [], warnings: [demandDropped] }
    : { isDropped, strippable: [PARAMETER], warnings: [] };
}

const demandDropped: Warning = {
  code: 'tool_choice_dropped',
  message: 'The provider does not accept a demand for a call here: the prompt asks for the call instead.',
};
