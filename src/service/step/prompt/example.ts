import type { ToolDefinition } from '../../../contract/tool.js';
import type { OfferedTool } from '../../../parsing/arguments/offered-tool.js';
import { isReadOnly } from '../history/signals.js';
import type { Message } from '../provider.js';
import type { ExampleCall, Situation } from '../types.js';
import { writeAction } from './render-unit.js';
import { sampleArguments } from './sample-call.js';

/** The topic of the worked example's question, also used as an argument of its sample call. */
const exampleSubject = 'invoice';

/** The question of the worked example. It states that it is not part of the conversation. */
const exampleTaskTemplate = `An example of the form, which is not part of this task: What is there to know about "${exampleSubject}"?
`;

/** Returns the thought before the example's call. */
const exampleThought = (tool: string): string =>
  `I need to know more about "${exampleSubject}", so I use ${tool}.`;

/** Separates the example from the conversation. */
const exampleEndTemplate = `End of the example. Now the task:
`;

const MAX_TOOLS_TRIED = 8;

/**
 * Chooses the tool of the worked example: the first one for which sample arguments are found. Read-only tools come
 * first, because an example should not suggest a change. If no tool has sample arguments, returns the first tool
 * without arguments.
 */
export function chooseExample(
  offered: readonly OfferedTool[],
  tools: readonly ToolDefinition[],
): ExampleCall | undefined {
  const reads = isReadOnly(tools);
  const candidates = [...offered.filter(reads), ...offered.filter((tool) => !reads(tool))];
  for (const tool of candidates.slice(0, MAX_TOOLS_TRIED)) {
    const parameters = sampleArguments(tool, exampleSubject);
    if (parameters) return { tool, parameters };
  }
  return candidates[0] && { tool: candidates[0] };
}

/**
 * Renders a sample question and a complete reply with an action. They are the first messages of every prompt and
 * always the same (rule: worked-example). The last message has the role `user`, so the following ones are merged into
 * it.
 */
export function renderExample({ example, protocol }: Situation): Message[] {
  if (!example?.parameters || protocol === 'native') return [];
  const { tool, parameters } = example;
  const thought = protocol === 'xml' ? '' : exampleThought(tool.name); // after a thought, a small model would continue with prose
  const reply = writeAction(protocol, thought, { name: tool.name, parameters });
  return [say('user', exampleTaskTemplate), say('assistant', `${reply}\n`), say('user', exampleEndTemplate)];
}

const say = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
