import { isObject } from '../../../contract/fields.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { oneLine } from '../../../conversation/task-list.js';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { OfferedTools, parameterOrder } from '../../../parsing/arguments/offered-tool.js';
import { type DigestedText, digested } from '../../../tokens/text-memo.js';
import { countValues } from '../history/json-values.js';
import type { Situation } from '../read-situation.js';
import { oneLineInShares } from './one-line.js';
import type { TaughtProtocol } from './render-unit.js';
import {
  fenceTemplate,
  jsonTemplate,
  jsonTemplateWithoutTools,
  nativeTemplate,
  textTemplate,
  textTemplateWithoutTools,
  xmlTemplate,
  xmlTemplateWithoutTools,
} from './templates/instructions.js';

const taught = (withTools: string, withoutTools: string) => ({
  withTools: digested(withTools + fenceTemplate),
  withoutTools: digested(withoutTools + fenceTemplate),
});

const instructions = {
  text: taught(textTemplate, textTemplateWithoutTools),
  xml: taught(xmlTemplate, xmlTemplateWithoutTools),
  json: taught(jsonTemplate, jsonTemplateWithoutTools),
  native: taught(nativeTemplate, nativeTemplate),
} as const satisfies Record<TaughtProtocol, ReturnType<typeof taught>>;

/** How to act, what a fence is, and the caller's own instructions: the same in every step of a run. */
export function renderInstructions({ request, protocol }: Situation): DigestedText {
  const { withTools, withoutTools } = instructions[protocol];
  const hasTools = Boolean(request.tools?.length || request.available_tools_prompt_segment?.trim());
  const own = request.instructions?.trim();
  const ours = hasTools ? withTools : withoutTools;
  return own ? { text: `${ours.text}\n${own}\n` } : ours;
}

/**
 * The tools in words; native calling sends definitions instead, so only the caller's free text remains. In shares of the
 * event loop, and no further than the signal allows (rule: loop-share).
 */
export async function renderTools(situation: Situation, signal?: AbortSignal): Promise<string> {
  const { available_tools_prompt_segment: segment } = situation.request;
  const described = await describeTools(situation, signal);
  const free = segment?.trim() ? `${segment.trim()}\n` : '';
  return described || free ? `\nTools:\n${described}${free}` : '';
}

/** Empty for native calling. */
async function describeTools(situation: Situation, signal?: AbortSignal): Promise<string> {
  const { tools, offered, protocol } = situation;
  if (protocol === 'native') return '';
  const describe = protocol === 'xml' ? describeInXml(situation) : describeInText;
  const known = OfferedTools.of(offered);
  let described = '';
  for (const tool of tools) {
    const description = (await oneLineInShares(tool.description ?? '', signal)).trim();
    const named = known.find(tool.name);
    const isNamed = named?.inputSchema === tool.inputSchema; // of two tools of one name the first is
    const parameters = isNamed ? named.parameters : parameterOrder(tool.inputSchema);
    described += await describe(tool, { description, parameters }, signal);
  }
  return described;
}

/** What describing a parameter books of the event loop, and writing a value of a schema as JSON. */
const DESCRIBING = 32;
const WRITING = 4;

type Describe = (tool: ToolDefinition, named: NamedParts, signal: AbortSignal | undefined) => Promise<string>;

interface NamedParts {
  readonly description: string;
  readonly parameters: readonly string[];
}

/**
 * A tool as the `xml` protocol lists it. A model that needs an example is shown no schema: a small one copies it into its
 * calls.
 */
function describeInXml({ example }: Situation): Describe {
  return async (tool, { description, parameters }, signal) => {
    const shown = example
      ? await describeParameters(tool, parameters, signal)
      : [`<parameters>${await writeSchema(tool, signal)}</parameters>`];
    const lines = [`<name>${tool.name}</name>`, `<description>${description}</description>`, ...shown];
    return `<tool>\n${lines.join('\n')}\n</tool>\n`;
  };
}

async function describeParameters(
  { inputSchema }: ToolDefinition,
  parameters: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const mark = optionalMark(inputSchema);
  const lines: string[] = [];
  for (const parameter of parameters) {
    await eventLoopShare.take(DESCRIBING, signal);
    const described = describeParameter(mark(parameter), propertyOf(inputSchema, parameter));
    lines.push(`<parameter>${described}</parameter>`);
  }
  return lines;
}

async function writeSchema(
  { inputSchema }: ToolDefinition,
  signal: AbortSignal | undefined,
): Promise<string> {
  await eventLoopShare.take(WRITING * countValues(inputSchema), signal);
  return JSON.stringify(inputSchema);
}

/** A tool as the `text` protocol lists it: its signature, then what its parameters mean. */
const describeInText: Describe = async (tool, { description, parameters }, signal) => {
  const { name, description: said, inputSchema } = tool;
  const shown = parameters.map(optionalMark(inputSchema));
  let lines = `- ${name}(${shown.join(', ')})${said ? `: ${description}` : ''}\n`;
  for (const parameter of parameters) {
    await eventLoopShare.take(DESCRIBING, signal);
    lines += `    ${describeParameter(parameter, propertyOf(inputSchema, parameter))}\n`;
  }
  return lines;
};

/** Marks what may be left out by `?`. */
function optionalMark({ required }: ToolDefinition['inputSchema']): (parameter: string) => string {
  const needed = new Set(Array.isArray(required) ? required : []);
  return (parameter) => (needed.has(parameter) ? parameter : `${parameter}?`);
}

const propertyOf = ({ properties }: ToolDefinition['inputSchema'], name: string): unknown =>
  isObject(properties) ? properties[name] : undefined;

function describeParameter(parameter: string, schema: unknown): string {
  if (!isObject(schema)) return parameter;
  const { type, description, ...rest } = schema;
  const facts = [
    typeof type === 'string' ? type : undefined,
    typeof description === 'string' ? oneLine(description).trim() : undefined,
    Object.keys(rest).length > 0
      ? JSON.stringify(typeof type === 'string' ? rest : { type, ...rest })
      : undefined,
  ];
  return `${parameter}: ${facts.filter(Boolean).join('; ')}`;
}
