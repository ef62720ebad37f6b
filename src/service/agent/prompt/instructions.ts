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
