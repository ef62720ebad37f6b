import type { Warning } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { type OfferedTool, toOfferedTool } from '../../parsing/arguments/offered-tool.js';
import { readSignaturesPausing } from '../../parsing/segment/signatures.js';
import { orderTools } from './history/order-keys.js';
import { StepRefused } from './interruption.js';
import { listFirst } from './list-first.js';
import { FIND_TOOLS, findTools } from './prompt/deferred-tools.js';
import type { Situation } from './types.js';

/** The tools of a request, before the history shows which deferred tools were found. */
interface RequestTools extends Pick<Situation, 'tools' | 'deferred'> {
  /** The tools that the request defines, each name once. */
  readonly defined: readonly ToolDefinition[];
  /**
   * The tools that the parser knows: those of `tools`, those that only the request's free text mentions, and the
   * deferred ones, marked as withheld.
   */
  readonly known: readonly OfferedTool[];
  readonly warnings: readonly Warning[];
}

/** Reads the tools of a request. Throws `StepRefused` if a tool has the reserved name `find_tools`. */
export async function readTools(
  { tools: sent = [], available_tools_prompt_segment: segment = '' }: StepRequest,
  signal: AbortSignal | undefined,
): Promise<RequestTools> {
  const defined = await orderTools(withoutDuplicates(sent), signal);
  const { tools, deferred } = splitTools(defined);
  const direct = await toOfferedTools(tools, signal);
  const withheld = (await toOfferedTools(deferred, signal)).map(withhold);
  const names = new Set([...direct, ...withheld].map(({ name }) => name));
  const mentioned = await readSignaturesPausing(segment, () => yieldIfBusy(signal));
  const known = [...direct, ...mentioned.filter(({ name }) => !names.has(name)), ...withheld];
  return { defined, tools, deferred, known, warnings: repeatedNames(sent) };
}

/** Puts the deferred tools that a search found after those that can always be called (rule: found-tools). */
export function offerFound(
  known: readonly OfferedTool[],
  found: readonly ToolDefinition[],
): readonly OfferedTool[] {
  if (found.length === 0) return known;
  const names = new Set(found.map(({ name }) => name));
  const others = known.filter(({ name, withheld }) => withheld !== undefined && !names.has(name));
  return [...callableOf(known), ...found.map(toOfferedTool), ...others];
}

/** Returns the tools that the model may call now. */
export const callableOf = (offered: readonly OfferedTool[]): readonly OfferedTool[] =>
  offered.filter(({ withheld }) => withheld === undefined);

const withhold = (tool: OfferedTool): OfferedTool => ({
  ...tool,
  withheld: `cannot be called yet: find it with ${FIND_TOOLS} first`,
});

/**
 * Keeps only the first definition of each tool name, because vendors reject a request with two tools of the same
 * name.
 */
function withoutDuplicates(tools: readonly ToolDefinition[]): ToolDefinition[] {
  const first = new Map<string, ToolDefinition>();
  for (const tool of tools) if (!first.has(tool.name)) first.set(tool.name, tool);
  return [...first.values()];
}

/** Maximum number of repeated names that the warning lists. */
const MAX_LISTED_NAMES = 20;

function repeatedNames(tools: readonly ToolDefinition[]): Warning[] {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const { name } of tools) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size === 0) return [];
  const names = listFirst([...repeated], MAX_LISTED_NAMES);
  const message = `tools: the model gets only the first tool of each name; these names occur more than once: ${names}`;
  return [{ code: 'tool_name_repeated', message }];
}

/**
 * Separates the deferred tools from those that every prompt of the run defines, which include `find_tools` if any
 * tool is deferred. Throws `StepRefused` if a tool of the caller is named `find_tools` (rule: deferred-tools).
 */
function splitTools(defined: readonly ToolDefinition[]): Pick<Situation, 'tools' | 'deferred'> {
  const deferred = defined.filter(({ defer }) => defer);
  if (deferred.length === 0) return { tools: defined, deferred };
  if (defined.some(({ name }) => name === FIND_TOOLS)) throw reservedName();
  return { tools: [...defined.filter(({ defer }) => !defer), findTools], deferred };
}

function reservedName(): StepRefused {
  const message = `the service offers a tool named ${FIND_TOOLS} if a tool is deferred: rename yours, or defer none`;
  return new StepRefused('invalid_request', [{ path: 'tools', code: 'reserved_name', message }]);
}

async function toOfferedTools(
  tools: readonly ToolDefinition[],
  signal: AbortSignal | undefined,
): Promise<OfferedTool[]> {
  const offered: OfferedTool[] = [];
  for (const tool of tools) {
    await yieldIfBusy(signal);
    offered.push(toOfferedTool(tool));
  }
  return offered;
}
