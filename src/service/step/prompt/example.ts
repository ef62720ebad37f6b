import { isReadOnly } from '../history/signals.js';
import type { Message } from '../provider.js';
import { callableOf } from '../read-tools.js';
import type { Situation } from '../types.js';
import { type WrittenCall, writeAction } from './render-unit.js';
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
 * Renders a sample question and a complete reply with an action. They are the first messages of every prompt and
 * always the same (rule: worked-example). The last message has the role `user`, so the following ones are merged into
 * it. Returns no messages if the model needs none, or if no tool has sample arguments.
 */
export function renderExample(situation: Situation): Message[] {
  const { needsExample, protocol } = situation;
  const call = needsExample && protocol !== 'native' && chooseCall(situation);
  if (!call) return [];
  const thought = protocol === 'xml' ? '' : exampleThought(call.name); // after a thought, a small model would continue with prose
  const reply = writeAction(protocol, thought, call);
  return [say('user', exampleTaskTemplate), say('assistant', `${reply}\n`), say('user', exampleEndTemplate)];
}

/**
 * Chooses the call of the worked example: that of the first tool for which sample arguments are found. Read-only tools
 * come first, because an example should not suggest a change.
 */
function chooseCall({ offered, tools }: Situation): WrittenCall | undefined {
  const reads = isReadOnly(tools);
  const callable = callableOf(offered);
  const candidates = [...callable.filter(reads), ...callable.filter((tool) => !reads(tool))];
  for (const tool of candidates.slice(0, MAX_TOOLS_TRIED)) {
    const parameters = sampleArguments(tool, exampleSubject);
    if (parameters) return { name: tool.name, parameters };
  }
  return undefined;
}

const say = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
