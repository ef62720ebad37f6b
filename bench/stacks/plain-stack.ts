import express from 'express';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import OpenAI from 'openai';
import { listen } from './listen.js';

/** The fields of a step request that the plain stack below reads. */
interface PlainRequest {
  readonly user_query: string;
  readonly conversation_history: readonly { role: string; content: string }[];
  readonly inline_context: { readonly files: readonly { path: string; content: string }[] };
  readonly llm_config: { readonly modelName: string; tokenLimit: number; reservedOutputTokens: number };
}

const instructions = 'Answer with `Thought:` and `Action: tool(name=value)`, or with `Final Answer:`.';

/**
 * Starts a simple step service to compare with: Express and its JSON parser, js-tiktoken for every section, the
 * vendor's SDK, and a regular expression that finds the action. Resolves to its URL.
 */
export async function startPlainStack(upstreamUrl: string): Promise<string> {
  const tokenizer = new Tiktoken(ranks);
  const client = new OpenAI({ apiKey: 'sk-0123456789', baseURL: `${upstreamUrl}/v1`, maxRetries: 0 });
  const app = express();
  app.use(express.json({ limit: '4mb' }));
  app.post('/api/agent/react_step', async (request, response) => {
    const body: PlainRequest = request.body;
    const messages = selectSections(body, (text) => tokenizer.encode(text, [], []).length);
    const completion = await client.chat.completions.create({ model: body.llm_config.modelName, messages });
    const text = completion.choices[0]?.message.content ?? '';
    const [, thought = '', name = '', path = ''] =
      /Thought: (.*)\nAction: (\w+)\(path="(.*)"\)/.exec(text) ?? [];
    const turn = { role: 'assistant', content: thought, toolCall: { name, parameters: { path } } };
    response.json({
      direct_response: name ? null : text,
      action_details: name ? { tool_name: name, tool_args: { path }, id: 'call' } : null,
      updated_conversation_history: [...body.conversation_history, turn],
    });
  });
  return listen(app);
}

/** Selects whole sections as long as the budget allows, the newest turns first. */
function selectSections(
  { inline_context, conversation_history, llm_config }: PlainRequest,
  count: (text: string) => number,
) {
  let left = llm_config.tokenLimit - llm_config.reservedOutputTokens - count(instructions);
  const fits = (text: string): boolean => {
    left -= count(text);
    return left >= 0;
  };
  const files = inline_context.files.map(({ path, content }) => `${path}\n${content}\n`).filter(fits);
  const turns = conversation_history.map(({ role, content }) => ({
    role: role === 'assistant' ? ('assistant' as const) : ('user' as const),
    content,
  }));
  const kept = turns
    .reverse()
    .filter(({ content }) => fits(content))
    .reverse();
  return [
    { role: 'system' as const, content: instructions },
    { role: 'user' as const, content: files.join('\n') },
    ...kept,
  ];
}
