import type { Script } from '../../src/offline/fake-provider.js';
import type { Agent } from './agents.js';

/** Content of the file that an agent reads, its content afterwards, and the answer. */
export const before = 'The kettle is cold.';
export const after = 'The kettle is warm.';
export const answer = 'The kettle was warmed.';

const changed = 'kettle.txt was written';

/**
 * Plays a model that knows no native calls and writes them as text: it reads a file, changes it, and answers. It decides
 * by what it has seen, so that an agent's further requests (titles, retries) do not confuse it.
 */
export function scriptFor({ shell }: Agent): Script {
  const run = (command: string): string =>
    `Action: ${shell?.tool}(${shell?.parameter}=${JSON.stringify(command)})`;
  return ({ body }) => {
    const prompt = JSON.stringify(body);
    // Without tools, the service teaches no form: an agent asks for a title or a summary.
    if (!prompt.includes('Final Answer:')) return { text: 'A kettle' };
    if (prompt.includes(changed)) return { text: `Thought: It is done.\nFinal Answer: ${answer}` };
    if (prompt.includes(before))
      return { text: `Thought: I change it.\n${run(`echo '${after}' > kettle.txt && echo ${changed}`)}` };
    return { text: `Thought: I read it.\n${run('cat kettle.txt')}` };
  };
}
