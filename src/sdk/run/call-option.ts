import { renderError } from '../actions/render-observation.js';
import { TerminalToolError } from '../actions/tool-errors.js';
import type { RunOptions } from './run-options.js';

/**
 * Calls a function that the caller passed as an option. If it throws, the error names the option, because the result of the run
 * has nothing but the message. A `TerminalToolError` keeps its reason.
 */
export async function callOption<Value>(
  name: keyof RunOptions,
  call: () => Value | Promise<Value>,
): Promise<Value> {
  try {
    return await call();
  } catch (cause) {
    if (cause instanceof TerminalToolError) throw cause;
    throw new Error(`${name} threw: ${renderError(cause)}`, { cause });
  }
}
