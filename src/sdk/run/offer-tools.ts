import { checkTool } from '../actions/check-tool.js';
import { type ClientToolName, clientToolNames, createClientTools } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import { untilAborted } from '../base/until-aborted.js';
import { runHost } from './run-host.js';
import type { RunOptions } from './run-options.js';
import type { RunState } from './run-state.js';

/** Offers the model the caller's tools and the SDK's own that are enabled. Throws `TypeError` for a value that is no tool, and if two have the same name. */
export function offerTools(run: RunState, given: readonly Tool[]): void {
  for (const [index, tool] of given.entries()) checkTool(tool, `tools[${index}]`);
  const own = createClientTools(runHost(run));
  const names = run.options.clientTools ?? defaultClientTools(run.options);
  const tools = [...given, ...names.map((name) => own[name])];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length)
    throw new TypeError(
      'Two tools have the same name: rename yours, or leave a tool of the SDK out of the option clientTools.',
    );
  run.tools = byName;
}

const defaultClientTools = ({ compaction }: RunOptions): readonly ClientToolName[] =>
  clientToolNames.filter((name) => name !== 'compact_context' || compaction);

/** Asks for the caller's current tools if `tools` is a function. */
export async function renewTools(run: RunState): Promise<void> {
  const { tools } = run.options;
  if (typeof tools === 'function') offerTools(run, await untilAborted(tools(), run.signal));
}
