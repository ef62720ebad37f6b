import { isObject } from '../../../contract/fields.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import { parameterOrder } from '../../parsing/arguments/offered-tool.js';
import type { Situation } from '../read-situation.js';
import type { TaughtProtocol } from './render-unit.js';
import { sampleCall } from './sample-call.js';
import {
  exampleTemplates,
  fenceTemplate,
  nativeTemplate,
  textTemplate,
  textTemplateWithoutTools,
  xmlTemplate,
  xmlTemplateWithoutTools,
} from './templates/instructions.js';

const templates = {
  text: { withTools: textTemplate, withoutTools: textTemplateWithoutTools },
  xml: { withTools: xmlTemplate, withoutTools: xmlTemplateWithoutTools },
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

/** The tools in words; native calling sends definitions instead, so only the caller's free text remains. */
export function renderTools({ tools, protocol, request }: Situation): string {
  const { available_tools_prompt_segment: segment } = request;
  const describe = protocol === 'xml' ? describeToolsInXml : describeTools;
  const described = protocol === 'native' ? '' : describe(tools);
  const free = segment?.trim() ? `${segment.trim()}\n` : '';
  return described || free ? `\nTools:\n${described}${free}` : '';
}

/** The tools as the `text` protocol lists them: one signature each, then what its parameters mean. */
function describeTools(tools: readonly ToolDefinition[]): string {
  return tools.map(describeTool).join('');
}

/** The tools as the `xml` protocol lists them. */
function describeToolsInXml(tools: readonly ToolDefinition[]): string {
  return tools
    .map(
      ({ name, description, inputSchema }) =>
        `<tool>\n<name>${name}</name>\n<description>${oneLine(description ?? '')}</description>\n` +
        `<parameters>${JSON.stringify(inputSchema)}</parameters>\n</tool>\n`,
    )
    .join('');
}

function describeTool({ name, description, inputSchema }: ToolDefinition): string {
  const properties = isObject(inputSchema['properties']) ? inputSchema['properties'] : {};
  const required = new Set(Array.isArray(inputSchema['required']) ? inputSchema['required'] : []);
  const parameters = parameterOrder(inputSchema).map((parameter) => ({
    signature: required.has(parameter) ? parameter : `${parameter}?`,
    line: describeParameter(parameter, properties[parameter]),
  }));
  const signature = `${name}(${parameters.map((each) => each.signature).join(', ')})`;
  const lines = [
    description ? `${signature}: ${oneLine(description)}` : signature,
    ...parameters.map((each) => each.line),
  ];
  return `- ${lines.join('\n')}\n`;
}

function describeParameter(parameter: string, schema: unknown): string {
  if (!isObject(schema)) return `    ${parameter}`;
  const { type, description, ...rest } = schema;
  const facts = [
    typeof type === 'string' ? type : undefined,
    typeof description === 'string' ? oneLine(description) : undefined,
    Object.keys(rest).length > 0
      ? JSON.stringify(typeof type === 'string' ? rest : { type, ...rest })
      : undefined,
  ];
  return `    ${parameter}: ${facts.filter(Boolean).join('; ')}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
