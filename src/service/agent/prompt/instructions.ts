import type { StepRequest } from '../../../contract/step-request.js';
import { describeTools, describeToolsInXml } from './describe-tools.js';
import type { TaughtProtocol } from './render-unit.js';
import { nativeTemplate } from './templates/native.js';
import { fenceTemplate } from './templates/shared.js';
import { textTemplate, textTemplateWithoutTools } from './templates/text.js';
import { xmlTemplate, xmlTemplateWithoutTools } from './templates/xml.js';

const templates = {
  text: { withTools: textTemplate, withoutTools: textTemplateWithoutTools },
  xml: { withTools: xmlTemplate, withoutTools: xmlTemplateWithoutTools },
  native: { withTools: nativeTemplate, withoutTools: nativeTemplate },
} as const satisfies Record<TaughtProtocol, { withTools: string; withoutTools: string }>;

/** How to act, what a fence is, and the caller's own instructions: the same in every step of a run. */
export function renderInstructions(request: StepRequest, protocol: TaughtProtocol): string {
  const { withTools, withoutTools } = templates[protocol];
  const hasTools = Boolean(request.tools?.length || request.available_tools_prompt_segment?.trim());
  const own = request.instructions?.trim();
  return `${hasTools ? withTools : withoutTools}${fenceTemplate}${own ? `\n${own}\n` : ''}`;
}

/** The tools in words; native calling sends definitions instead, so only the caller's free text remains. */
export function renderTools(request: StepRequest, protocol: TaughtProtocol): string {
  const { tools = [], available_tools_prompt_segment: segment } = request;
  const describe = protocol === 'xml' ? describeToolsInXml : describeTools;
  const described = protocol === 'native' ? '' : describe(tools);
  const free = segment?.trim() ? `${segment.trim()}\n` : '';
  return described || free ? `\nTools:\n${described}${free}` : '';
}
