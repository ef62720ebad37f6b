import type { NextStep } from './compose-answer.js';
import { nextStep } from './next-step.js';
import { type ChatMessage, type ParsedPrompt, readPrompt } from './prompt/read-prompt.js';

/**
 * Returns the reply of the model `offline` (rule: offline-model), which is not a language model but an extractive
 * searcher. From the messages alone it chooses search terms, calls an offered search tool, reads the best files,
 * and answers by quoting the lines it found. This is a pure function: the same messages give the same reply.
 */
export function extractiveReply(messages: readonly ChatMessage[]): string {
  const prompt = readPrompt(messages);
  return writeReply(nextStep(prompt), prompt);
}

/** Writes a step in the reply format that the prompt describes, or as the JSON block that the phase requires. */
function writeReply(step: NextStep, { form, phase }: ParsedPrompt): string {
  if (phase === 'reason') return writeReason(step);
  if (phase === 'observe') return writeObserve(step);
  return writers[form](step);
}

function writeText({ thought, call, answer }: NextStep): string {
  if (!call) return `Thought: ${thought}\nFinal Answer: ${answer}`;
  const args = Object.entries(call.args).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return `Thought: ${thought}\nAction: ${call.name}(${args.join(', ')})`;
}

function writeXml({ thought, call, answer }: NextStep): string {
  if (!call) return `${thought}\n\n<final_answer>\n${answer}\n</final_answer>`;
  const parameters = JSON.stringify(call.args);
  return `${thought}\n\n<tool_code><name>${call.name}</name><parameters>${parameters}</parameters></tool_code>`;
}

function writeJson({ thought, call, answer }: NextStep): string {
  if (!call) return JSON.stringify({ thought, final_answer: answer });
  return JSON.stringify({ thought, action: { tool: call.name, args: call.args } });
}

/** Writes only the answer, for a prompt that describes no reply format, such as a chat without tools. */
const writePlain = ({ thought, answer }: NextStep): string => answer ?? thought;

const writers = {
  text: writeText,
  xml: writeXml,
  json: writeJson,
  plain: writePlain,
} as const satisfies Record<ParsedPrompt['form'], (step: NextStep) => string>;

function writeReason({ thought, call }: NextStep): string {
  const plan = call ? [thought] : ['Answer with the lines that were found.'];
  return withBlock(thought, { plan, tools_to_consider: call ? [call.name] : [], finish: !call });
}

function writeObserve({ thought, call, answer }: NextStep): string {
  return withBlock(thought, {
    observation: thought,
    should_continue: Boolean(call),
    final_answer: answer ?? null,
  });
}

const withBlock = (prose: string, block: unknown): string =>
  `${prose}\n\n\`\`\`json\n${JSON.stringify(block, null, 2)}\n\`\`\``;
