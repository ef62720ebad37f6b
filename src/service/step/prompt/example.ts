import type { Message } from '../provider.js';
import type { Situation } from '../read-situation.js';
import { writeAction } from './render-unit.js';
import { exampleEndTemplate, exampleTaskTemplate, exampleThought } from './templates/example.js';

/**
 * One question and a whole reply that acts, with a tool that is offered, before everything else that is said: the same
 * in every step (rule: worked-example). Ends with a text of the user, which what follows is joined to.
 */
export function renderExample({ example, protocol }: Situation): Message[] {
  if (!example?.parameters || protocol === 'native') return [];
  const { tool, parameters } = example;
  const thought = protocol === 'xml' ? '' : exampleThought(tool.name); // prose in front leads a small model on to more of it
  const reply = writeAction(protocol, thought, { name: tool.name, parameters });
  return [say('user', exampleTaskTemplate), say('assistant', `${reply}\n`), say('user', exampleEndTemplate)];
}

const say = (role: Message['role'], text: string): Message => ({ role, parts: [{ type: 'text', text }] });
