import { type ClientToolName, clientToolNames, createClientTools } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import { untilAborted } from '../base/until-aborted.js';
import { runHost } from './run-host.js';
import type { RunOptions } from './run-options.js';
import type { RunState } from './run-state.js';

/** The caller's tools and those of the run's own that can work. Throws where a name is taken twice. */
export function offerTools(run: RunState, given: readonly Tool[]): void {
  const own = createClientTools(runHost(run));
  const names = run.options.clientTools ?? defaultClientTools(run.options);
  const tools = [...given, ...names.map((name) => own[name])];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) throw new TypeError('Two tools have the same name.');
  run.tools = byName;
}

const defaultClientTools = ({ compaction }: RunOptions): readonly ClientToolName[] =>
  clientToolNames.filter((name) => name !== 'compact_context' || compaction);

/** Where the caller's tools come and go: those of now. */
export async function renewTools(run: RunState): Promise<void> {
  const { tools } = run.options;
  if (typeof tools === 'function') offerTools(run, await untilAborted(tools(), run.signal));
}
