import type { Warning } from '../../contract/step.js';
import type { CompletionRequest } from '../step/provider.js';

/** Parameter with which a request requires a tool call. A provider's refusal of it is cached under this name. */
const PARAMETER = 'tool_choice';

/** Whether a request to a provider requires a tool call through `tool_choice`. */
interface CallDemand {
  /**
   * True if the request must omit `tool_choice`, because the provider refuses it or cannot combine
   * it with other parameters.
   */
  readonly isDropped: boolean;
  /** Contains `tool_choice` if the request does, because a second request may omit it; otherwise empty. */
  readonly strippable: readonly string[];
  readonly warnings: readonly Warning[];
}

/**
 * Decides whether a request requires a tool call through `tool_choice`. If it does not, the prompt still asks for a
 * call (rule: client-terms).
 */
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
