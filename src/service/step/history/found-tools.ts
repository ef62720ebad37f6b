import type { Warning } from '../../../contract/step.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import type { Observation, Unit } from '../../../conversation/units.js';
import { listFirst } from '../list-first.js';
import { FIND_TOOLS } from '../prompt/deferred-tools.js';
import type { Situation } from '../types.js';

export interface DiscoveryBasis {
  /** All tools of the request. */
  readonly tools: readonly ToolDefinition[];
  /** Writes a definition as text; undefined for native calling, where definitions are not part of observations. */
  readonly describe: ((tool: ToolDefinition) => string) | undefined;
}

/** Maximum number of observations with a warning; older ones are omitted. */
const MAX_WARNINGS = 20;

/**
 * Reads from the history which deferred tools were found, in the order of their discovery, and adds their definitions
 * to the observations of `find_tools` (rule: found-tools). Accepts only names of tools in the
 * request, and only in observations of `find_tools`, so that no other tool can make tools callable.
 */
export function readDiscoveries(
  units: readonly Unit[],
  { tools, describe }: DiscoveryBasis,
): Pick<Situation, 'units' | 'found' | 'warnings'> {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const found = new Map<string, ToolDefinition>();
  const warnings: Warning[] = [];
  const read = units.map((unit): Unit => {
    if (unit.type === 'stray_observation') discover(unit.observation, undefined);
    if (unit.type !== 'action' || !unit.calls.some(({ observation }) => observation?.toolNames)) return unit;
    const calls = unit.calls.map((call) => {
      const { observation, name } = call;
      return observation ? { ...call, observation: discover(observation, name) } : call;
    });
    return { ...unit, calls };
  });
  return { units: read, found: [...found.values()], warnings: warnings.slice(-MAX_WARNINGS) };

  function discover(observation: Observation, tool: string | undefined): Observation {
    const { toolNames = [], index } = observation;
    if (toolNames.length === 0) return observation;
    if (tool !== FIND_TOOLS) {
      warnings.push(
        notOffered(index, `it is no observation of ${FIND_TOOLS}, so its tool_definitions are ignored`),
      );
      return observation;
    }
    const unknown = toolNames.filter((name) => !byName.has(name));
    if (unknown.length > 0)
      warnings.push(notOffered(index, `these tools are not in tools and are ignored: ${list(unknown)}`));
    const here = [...new Set(toolNames)]
      .flatMap((name) => byName.get(name) ?? [])
      .filter(({ defer }) => defer);
    for (const each of here) found.set(each.name, each);
    if (here.length === 0) return observation;
    const names = here.map(({ name }) => name);
    const definitions = describe ? here.map(describe) : [];
    return { ...observation, found: { names, definitions, shown: definitions.length } };
  }
}

const notOffered = (index: number, problem: string): Warning => ({
  code: 'tool_not_offered',
  message: `conversation_history[${index}]: ${problem}`,
});

const MAX_NAMED = 10;
const MAX_NAME_CHARACTERS = 128;

/** Lists tool names from a tool result, shortened and quoted as JSON because they are untrusted. */
const list = (names: readonly string[]): string =>
  listFirst(names, MAX_NAMED, (name) => JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS)));
