import type { Script } from '../../src/offline/fake-provider.js';
import type { Agent } from './agents.js';

/**
 * Content of the file that an agent reads. `after` is its content when the agent has changed it, and `answer` is
 * the agent's answer.
 */
export const before = 'The kettle is cold.';
export const after = 'The kettle is warm.';
export const answer = 'The kettle was warmed.';

const changed = 'kettle.txt was written';

/**
 * Returns the script of a model without native calls, which writes its calls as text: it reads a file, changes it,
 * and answers. Each reply depends only on the prompt, so that further requests of the agent (titles, retries) do
 * not disturb the script.
 */
export function scriptFor({ shell }: Agent): Script {
  const run = (command: string): string =>
    `Action: ${shell?.tool}(${shell?.parameter}=${JSON.stringify(command)})`;
  return ({ body }) => {
    const prompt = JSON.stringify(body);
    // The prompt of an agent without tools does not teach a form: the agent asks for a title or a summary.
    if (!prompt.includes('Final Answer:')) return { text: 'A kettle' };
    if (prompt.includes(changed)) return { text: `Thought: It is done.\nFinal Answer: ${answer}` };
    if (prompt.includes(before))
      return { text: `Thought: I change it.\n${run(`echo '${after}' > kettle.txt && echo ${changed}`)}` };
    return { text: `Thought: I read it.\n${run('cat kettle.txt')}` };
  };
}
