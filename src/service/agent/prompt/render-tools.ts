import { isObject } from '../../../contract/fields.js';
import type { StepRequest } from '../../../contract/step-request.js';
import type { ToolDefinition } from '../../../contract/tool.js';
import type { TaughtProtocol } from './render-unit.js';

/** The tools in words; native calling sends definitions instead, so only the caller's free text remains. */
export function renderTools(request: StepRequest, protocol: TaughtProtocol): string {
  const { tools = [], available_tools_prompt_segment: segment } = request;
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
  const required = Array.isArray(inputSchema['required']) ? inputSchema['required'] : [];
  const parameters = Object.entries(properties).map(([parameter, schema]) => ({
    signature: required.includes(parameter) ? parameter : `${parameter}?`,
    line: describeParameter(parameter, schema),
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
