import { isObject } from '../../../contract/fields.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { oneLine } from '../../../conversation/task-list.js';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { OfferedTools, parameterOrder } from '../../parsing/arguments/offered-tool.js';
import { countValues } from '../history/json-values.js';
import type { Situation } from '../read-situation.js';
import { oneLineInShares } from './one-line.js';
import type { TaughtProtocol } from './render-unit.js';
import { sampleCall } from './sample-call.js';
import {
  exampleTemplates,
  fenceTemplate,
  jsonTemplate,
  jsonTemplateWithoutTools,
  nativeTemplate,
  textTemplate,
  textTemplateWithoutTools,
  xmlTemplate,
  xmlTemplateWithoutTools,
} from './templates/instructions.js';

const templates = {
  text: { withTools: textTemplate, withoutTools: textTemplateWithoutTools },
  xml: { withTools: xmlTemplate, withoutTools: xmlTemplateWithoutTools },
  json: { withTools: jsonTemplate, withoutTools: jsonTemplateWithoutTools },
  native: { withTools: nativeTemplate, withoutTools: nativeTemplate },
} as const satisfies Record<TaughtProtocol, { withTools: string; withoutTools: string }>;

/** How to act, what a fence is, and the caller's own instructions: the same in every step of a run. */
export function renderInstructions(situation: Situation): string {
  const { request, protocol } = situation;
  const { withTools, withoutTools } = templates[protocol];
  const hasTools = Boolean(request.tools?.length || request.available_tools_prompt_segment?.trim());
  const own = request.instructions?.trim();
  const taught = hasTools ? withTools + renderExample(situation) : withoutTools;
  return `${taught}${fenceTemplate}${own ? `\n${own}\n` : ''}`;
}

/** One whole reply that acts, with a tool that is offered (rule: worked-example). */
function renderExample({ exampleTool: tool, protocol }: Situation): string {
  if (!tool || protocol === 'native') return '';
  return exampleTemplates[protocol](tool.name, sampleCall(tool, protocol));
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
async function describeTools({ tools, offered, protocol }: Situation, signal?: AbortSignal): Promise<string> {
  if (protocol === 'native') return '';
  const known = OfferedTools.of(offered);
  let described = '';
  for (const tool of tools) {
    const description = (await oneLineInShares(tool.description ?? '', signal)).trim();
    const named = known.find(tool.name);
    const isNamed = named?.inputSchema === tool.inputSchema; // of two tools of one name the first is
    const parameters = isNamed ? named.parameters : parameterOrder(tool.inputSchema);
    described +=
      protocol === 'xml'
        ? await describeInXml(tool, description, signal)
        : await describeInText(tool, { description, parameters }, signal);
  }
  return described;
}

/** What describing a parameter books of the event loop, and writing a value of a schema as JSON. */
const DESCRIBING = 32;
const WRITING = 4;

/** A tool as the `xml` protocol lists it. */
async function describeInXml(
  { name, inputSchema }: ToolDefinition,
  description: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  await eventLoopShare.take(WRITING * countValues(inputSchema), signal);
  return (
    `<tool>\n<name>${name}</name>\n<description>${description}</description>\n` +
    `<parameters>${JSON.stringify(inputSchema)}</parameters>\n</tool>\n`
  );
}

/** A tool as the `text` protocol lists it: its signature, then what its parameters mean. */
async function describeInText(
  { name, description: said, inputSchema }: ToolDefinition,
  { description, parameters }: { readonly description: string; readonly parameters: readonly string[] },
  signal: AbortSignal | undefined,
): Promise<string> {
  const properties = isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = new Set(Array.isArray(inputSchema['required']) ? inputSchema['required'] : []);
  const shown = parameters.map((parameter) => (required.has(parameter) ? parameter : `${parameter}?`));
  let lines = `- ${name}(${shown.join(', ')})${said ? `: ${description}` : ''}\n`;
  for (const parameter of parameters) {
    await eventLoopShare.take(DESCRIBING, signal);
    lines += `${describeParameter(parameter, properties[parameter])}\n`;
  }
  return lines;
}

function describeParameter(parameter: string, schema: unknown): string {
  if (!isObject(schema)) return `    ${parameter}`;
  const { type, description, ...rest } = schema;
  const facts = [
    typeof type === 'string' ? type : undefined,
    typeof description === 'string' ? oneLine(description).trim() : undefined,
    Object.keys(rest).length > 0
      ? JSON.stringify(typeof type === 'string' ? rest : { type, ...rest })
      : undefined,
  ];
  return `    ${parameter}: ${facts.filter(Boolean).join('; ')}`;
}
