import { isObject } from '../../../contract/fields.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { flatSchema } from '../../../parsing/arguments/flat-schema.js';
import { firstSentence } from '../prompt/deferred-tools.js';
import { describeTool } from '../prompt/instructions.js';
import type { Scale } from '../prompt/weigh-messages.js';
import { expectsPlainText, type Situation } from '../types.js';
import { countDefinitions, type FixedCosts } from './fixed-costs.js';

/** Maximum share of the free budget for the definitions of a client's tools. */
const TOOLS_SHARE = 0.5;

/**
 * Shortens the longest tools of a client to signatures if all tools together need more than half of the tokens that
 * instructions and example leave (rule: compatible-tools). This changes only the prompt: calls are still checked
 * against the complete schemas. Returns undefined if nothing is shortened, or if the tools are shortened already.
 */
export async function shortenTools(
  situation: Situation,
  fixed: FixedCosts,
  scale: Scale,
): Promise<Situation | undefined> {
  const { request, clientTerms, tools } = situation;
  if (!clientTerms || situation.shortened || expectsPlainText(situation)) return undefined;
  const { tokenLimit, reservedOutputTokens } = request.llm_config;
  const { instructions, example, framing, minTailTokens } = fixed;
  const free = tokenLimit - reservedOutputTokens - instructions - example - framing - minTailTokens;
  let excess = fixed.tools - free * TOOLS_SHARE;
  if (excess <= 0) return undefined;
  const weighed = await weighTools(situation, scale);
  const shortened = new Map<string, WeighedTool>();
  for (const tool of weighed.sort((a, b) => b.original - a.original)) {
    if (excess <= 0) break;
    if (tool.tokens >= tool.original) continue;
    shortened.set(tool.signature.name, tool);
    excess -= tool.original - tool.tokens;
  }
  if (shortened.size === 0) return undefined;
  return { ...situation, shortened, tools: tools.map((tool) => shortened.get(tool.name)?.signature ?? tool) };
}

/** A tool with its signature and the tokens of both. */
interface WeighedTool {
  readonly signature: ToolDefinition;
  readonly tokens: number;
  readonly original: number;
}

async function weighTools(situation: Situation, scale: Scale): Promise<WeighedTool[]> {
  const weigh = (tool: ToolDefinition, isSignature: boolean): Promise<number> =>
    situation.protocol === 'native'
      ? countDefinitions([tool], scale.tokens)
      : scale.tokens.count(describeTool(tool, situation, isSignature));
  const weighed: WeighedTool[] = [];
  for (const tool of situation.tools) {
    await yieldIfBusy(scale.signal);
    const signature = signatureOf(tool);
    weighed.push({ signature, tokens: await weigh(signature, true), original: await weigh(tool, false) });
  }
  return weighed;
}

/** Returns a tool with the first sentence of its description, and only the names and types of its parameters. */
function signatureOf({ description, inputSchema, ...tool }: ToolDefinition): ToolDefinition {
  const { properties, required } = flatSchema(inputSchema);
  const types = isObject(properties)
    ? Object.entries(properties).map(([name, schema]) => [name, typeOf(schema)])
    : [];
  return {
    ...tool,
    description: description && firstSentence(description),
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(types),
      ...(Array.isArray(required) && { required }),
    },
  };
}

/** Returns the type of a parameter. For an array, includes the type of its items, which vendors require. */
function typeOf(schema: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(schema)) return {};
  const { type, items } = schema;
  return { ...(type !== undefined && { type }), ...(items !== undefined && { items: typeOf(items) }) };
}
