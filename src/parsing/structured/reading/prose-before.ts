import type { OfferedTool } from '../../arguments/offered-tool.js';
import { type ParsedCompletion, parseCompletion } from '../../parse-completion.js';
import { noAction } from './completions.js';

/** An action of it is written where the object begins. */
const probe: OfferedTool = { name: 'object_reply_probe', parameters: [] };

/**
 * What stands before an object, if an action might follow it: one is put there to see whether it counts. Undefined where it
 * would not: in reasoning, in a quotation, after an action or an answer.
 */
export function readProseBefore(text: string, tools: readonly OfferedTool[]): ParsedCompletion | undefined {
  const offered = tools.length > 0 ? [...tools, probe] : [];
  const probed = parseCompletion(`${text}Action: ${probe.name}()`, offered);
  if (probed.action?.toolName !== probe.name) return undefined;
  const { reasoning, discarded, thought: answer } = probed;
  const said = { ...noAction, confidence: 'exact', reasoning, discarded, thought: null } as const;
  return answer === null ? { ...said, outcome: 'empty', answer } : { ...said, outcome: 'answer', answer };
}
