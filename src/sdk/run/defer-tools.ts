import type { Tool } from '../actions/define-tool.js';
import type { RunState } from './run-state.js';

/** Maximum fraction of the prompt's budget for the definitions of tools that are not deferred. */
const TOOLS_SHARE = 0.5;
/** The SDK has no tokenizer, so it estimates the tokens of a definition from its length as JSON. */
const CHARS_PER_TOKEN = 4;

/**
 * Returns the names of the tools to defer (rule: deferring): those with `defer: true`, and those without `defer` that
 * no longer fit into half of the prompt's budget. Tools are added to the prompt in the order of the list. `own` are
 * tools of the SDK, which are never deferred.
 */
export function deferTools(
  { llmConfig: { tokenLimit, reservedOutputTokens } }: Pick<RunState, 'llmConfig'>,
  given: readonly Tool[],
  own: readonly Tool[],
): ReadonlySet<string> {
  const isFixed = ({ defer }: Tool): boolean => defer === false;
  let left = (tokenLimit - reservedOutputTokens) * TOOLS_SHARE * CHARS_PER_TOKEN;
  for (const tool of [...own, ...given.filter(isFixed)]) left -= lengthOf(tool);
  const deferred = given.filter((tool) => {
    if (isFixed(tool)) return false;
    const length = lengthOf(tool);
    if (tool.defer || length > left) return true;
    left -= length;
    return false;
  });
  return new Set(deferred.map(({ name }) => name));
}

const lengthOf = ({ name, description, inputSchema }: Tool): number =>
  JSON.stringify({ name, description, inputSchema }).length;
