import type { Respond } from '../../src/offline/answer-request.js';
import type { Agent, Call } from './agents.js';

/**
 * Content of the file that an agent reads. `after` is its content when the agent has changed it, and `answer` is
 * the agent's answer.
 */
export const before = 'The kettle is cold.';
export const after = 'The kettle is warm.';
export const answer = 'The kettle was warmed.';

const changed = 'kettle.txt was written';

/** A reply of the scripted model: a call or a text. */
export type Reply = Call | string;

/**
 * Returns a scripted model that writes its tool calls as text: it reads a file, changes it, and answers. Each reply
 * depends only on the prompt, so that additional requests of the agent (titles, retries) do not disturb the sequence.
 * Calls `report` with each reply.
 */
export function scriptFor(agent: Agent, report: (reply: Reply) => void = () => {}): Respond {
  return ({ body }) => {
    const reply = chooseReply(agent, JSON.stringify(body));
    report(reply);
    return { text: written(reply) };
  };
}

function chooseReply({ run }: Agent, prompt: string): Reply {
  if (run === undefined) return edit;
  // Without tools, the service adds no format instructions to the prompt. The agent then asks only for a title or a
  // summary.
  if (!prompt.includes('Final Answer:')) return 'A kettle';
  if (prompt.includes(changed)) return answer;
  if (prompt.includes(before)) return run(`echo '${after}' > kettle.txt && echo ${changed}`);
  return run('cat kettle.txt');
}

/**
 * An edit in aider's own format. The `Action:` line before it looks like a call, but the service must leave it in the
 * text.
 */
const edit = `${answer}

Action: read_file(path="kettle.txt")

kettle.txt
\`\`\`
${after}
\`\`\`
`;

function written(reply: Reply): string {
  if (reply === answer) return `Thought: It is done.\nFinal Answer: ${answer}`;
  if (typeof reply === 'string') return reply;
  const args = Object.entries(reply.args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `Thought: I go on.\nAction: ${reply.tool}(${args.join(', ')})`;
}
