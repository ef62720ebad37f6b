import type { Situation } from '../read-situation.js';
import type { TaughtProtocol } from './render-unit.js';
import {
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
export function renderInstructions({ request, protocol }: Situation): string {
  const { withTools, withoutTools } = templates[protocol];
  const hasTools = Boolean(request.tools?.length || request.available_tools_prompt_segment?.trim());
  const own = request.instructions?.trim();
  return `${hasTools ? withTools : withoutTools}${fenceTemplate}${own ? `\n${own}\n` : ''}`;
}
