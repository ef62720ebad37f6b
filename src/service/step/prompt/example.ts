import type { ToolDefinition } from '../../../contract/tool.js';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import { isReadOnly } from '../history/signals.js';
import type { Message } from '../provider.js';
import type { ExampleCall, Situation } from '../types.js';
import { writeAction } from './render-unit.js';
import { sampleArguments } from './sample-call.js';
import {
  exampleEndTemplate,
  exampleSubject,
  exampleTaskTemplate,
  exampleThought,
} from './templates/example.js';

const MAX_TOOLS_TRIED = 8;

/**
 * Chooses the first tool that has a sample call. Tools that only read come first, since an example should not ask for a
 * change. If no tool has a sample call, returns the first tool without arguments.
 */
export async function chooseExample(
  offered: readonly OfferedTool[],
  tools: readonly ToolDefinition[],
  signal: AbortSignal | undefined,
): Promise<ExampleCall | undefined> {
  const reads = isReadOnly(tools);
  const candidates = [...offered.filter(reads), ...offered.filter((tool) => !reads(tool))];
  for (const tool of candidates.slice(0, MAX_TOOLS_TRIED)) {
    await yieldIfBusy(signal);
    const parameters = sampleArguments(tool, exampleSubject);
    if (parameters) return { tool, parameters };
  }
  return candidates[0] && { tool: candidates[0] };
}

/**
 * Renders a question and a whole reply that acts, which stand before everything else and are the same in every step
 * (rule: worked-example). The last message is a text of the user, which the messages that follow are merged into.
 */
export function renderExample({ example, protocol }: Situation): Message[] {
  if (!example?.parameters || protocol === 'native') return [];
  const { tool, parameters } = example;
  const thought = protocol === 'xml' ? '' : exampleThought(tool.name); // a small model would go on writing prose
  const reply = writeAction(protocol, thought, { name: tool.name, parameters });
  return [say('user', exampleTaskTemplate), say('assistant', `${reply}\n`), say('user', exampleEndTemplate)];
}

const say = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
