import { checkTool } from '../actions/check-tool.js';
import { type ClientToolName, clientToolNames, createClientTools } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import { FIND_TOOLS, searchAmong, ToolSearch } from '../actions/find-tools.js';
import { untilAborted } from '../base/until-aborted.js';
import { callOption } from './call-option.js';
import { deferTools } from './defer-tools.js';
import { runHost } from './run-host.js';
import type { RunOptions } from './run-options.js';
import type { RunState } from './run-state.js';

/** Offers the model the caller's tools and the SDK's own that are enabled. Throws `TypeError` for a value that is no tool, and if two have the same name. */
export function offerTools(run: RunState, given: readonly Tool[]): void {
  for (const [index, tool] of given.entries()) checkTool(tool, `tools[${index}]`);
  const clientTools = createClientTools(runHost(run));
  const own = (run.options.clientTools ?? defaultClientTools(run.options)).map((name) => clientTools[name]);
  const offered = given.filter((tool) => !(tool instanceof ToolSearch));
  const deferred = chooseDeferred(run, offered, own);
  const search = given.find((tool) => tool instanceof ToolSearch) ?? searchAmong([...offered, ...own]);
  const tools = [...offered, ...own, ...(deferred.size > 0 ? [search] : [])];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  if (byName.size < tools.length) {
    const twice = tools.find(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
    throw new TypeError(
      `Two tools have the same name, "${twice?.name}": rename yours, or leave a tool of the SDK out of the option clientTools.`,
    );
  }
  run.tools = byName;
  run.deferred = deferred;
}

/**
 * Chooses the tools to defer. If the caller has its own tool named `find_tools`, defers none, and throws `TypeError` if
 * another tool has `defer: true`.
 */
function chooseDeferred(run: RunState, given: readonly Tool[], own: readonly Tool[]): ReadonlySet<string> {
  const hasOwnSearch = given.some(({ name }) => name === FIND_TOOLS);
  if (!hasOwnSearch) return deferTools(run, given, own);
  if (!given.some(({ defer }) => defer)) return new Set();
  throw new TypeError(
    `The SDK offers a tool named ${FIND_TOOLS} if a tool is deferred: rename yours, or defer none.`,
  );
}

const defaultClientTools = ({ compaction }: RunOptions): readonly ClientToolName[] =>
  clientToolNames.filter((name) => name !== 'compact_context' || compaction);

/** Asks for the caller's current tools if `tools` is a function. */
export async function renewTools(run: RunState): Promise<void> {
  const { tools } = run.options;
  if (typeof tools !== 'function') return;
  offerTools(run, await callOption('tools', () => untilAborted(tools(), run.signal)));
}
