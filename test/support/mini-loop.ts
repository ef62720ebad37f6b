import { extractiveReply } from '../../src/offline/extractive/extractive-model.js';
import { readCalls } from '../../src/offline/extractive/prompt/read-calls.js';
import type { ChatMessage } from '../../src/offline/extractive/prompt/read-prompt.js';
import { type FolderTool, folderTools } from './folder-tools.js';

export interface MiniRun {
  readonly answer: string;
  readonly replies: readonly string[];
  readonly calls: readonly string[];
}

interface Options {
  readonly root?: string;
  /** Names of the offered tools. Default: all three. */
  readonly offered?: readonly string[];
  readonly maxSteps?: number;
  /** Observations of tools that fail whenever they are called, by the tool's name. */
  readonly failing?: Readonly<Record<string, string>>;
  /** Text that precedes the task in the first message. */
  readonly context?: string;
}

/**
 * Runs a minimal agent loop with the extractive model: calls the model and then the tool that it chose, until it
 * answers.
 */
export function runMiniLoop(task: string, options: Options = {}): MiniRun {
  const { root = 'examples/shop', maxSteps = 8, context = '', failing = {} } = options;
  const all = folderTools(root);
  const offered = options.offered ?? Object.keys(all);
  const messages: ChatMessage[] = [
    { role: 'system', content: systemText(offered.flatMap((name) => all[name] ?? [])) },
    { role: 'user', content: context + task },
  ];
  const replies: string[] = [];
  for (let step = 1; step <= maxSteps; step += 1) {
    const reply = extractiveReply(step === maxSteps ? withAnswerRequest(messages) : messages);
    replies.push(reply);
    const [call] = readCalls(reply);
    if (!call) break;
    const observation = failing[call.name] ?? all[call.name]?.run(call.args) ?? `Error: no tool ${call.name}`;
    messages.push(
      { role: 'assistant', content: reply },
      { role: 'user', content: `<observation mark="a1b2c3d4">\n${observation}\n</observation a1b2c3d4>` },
    );
  }
  const calls = replies.flatMap((reply) => /^Action: (.*)$/m.exec(reply)?.[1] ?? []);
  return { answer: replies.at(-1)?.split('Final Answer:')[1]?.trim() ?? '', replies, calls };
}

const systemText = (tools: readonly FolderTool[]): string =>
  `You are a careful assistant. Write either

Thought: what you think
Action: tool_name(argument="value", other=1)

or, when you know it,

Thought: what you think
Final Answer: the answer

Tools:
${tools.map(({ signature }) => `- ${signature}`).join('\n')}`;

const withAnswerRequest = (messages: readonly ChatMessage[]): ChatMessage[] => [
  ...messages,
  { role: 'user', content: 'This is the last step. You must answer now from what you know.' },
];
