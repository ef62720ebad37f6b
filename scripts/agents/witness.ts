import { Anthropic } from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import type { Call } from './agents.js';
import type { Exchange, Recorder } from './recorder.js';
import type { Reply } from './scripted-model.js';

/** The side on which the cause of a failed trial lies, and the evidence. */
export interface Verdict {
  readonly at: 'client' | 'service';
  readonly evidence: string;
}

/**
 * Decides whether the agent or the service caused a failed trial, by reading the recorded answers with the vendor's
 * SDK. The agent is the cause if no answer is an error and the SDK reads every reply as the script wrote it, except
 * replies for which the agent did not wait. Otherwise the service is the cause.
 */
export async function judge(
  { exchanges, abandoned }: Pick<Recorder, 'exchanges' | 'abandoned'>,
  replies: readonly Reply[],
): Promise<Verdict> {
  const answers = exchanges.filter(({ path }) => path in readers);
  const refused = answers.filter(({ status }) => status >= 400);
  if (refused.length > 0)
    return { at: 'service', evidence: `errors: ${refused.map(({ answer }) => answer).join('; ')}` };
  const read = await Promise.all(answers.map((each) => readBySdk(each).catch(String)));
  const unread = [...read];
  const missing = replies.filter((reply) => !takeFrom(unread, reply));
  const evidence = `the model wrote: ${replies.map(shown).join('; ')}\n  the vendor's SDK reads: ${read.map(shown).join('; ')}\n  the agent hung up ${abandoned()} times`;
  return { at: missing.length <= abandoned() ? 'client' : 'service', evidence };
}

/** Removes from the list the first answer that ends with this reply. Returns whether there was one. */
function takeFrom(answers: Reply[], reply: Reply): boolean {
  // An answer may begin with the model's thought, so only its end is compared.
  const index = answers.findIndex((each) => shown(each).trim().endsWith(shown(reply).trim()));
  if (index >= 0) answers.splice(index, 1);
  return index >= 0;
}

const shown = (reply: Reply): string =>
  typeof reply === 'string' ? reply : `${reply.tool}(${JSON.stringify(reply.args)})`;

/**
 * Reads one recorded answer with the vendor's SDK. The given `fetch` returns this answer instead of sending a request.
 */
type Read = (fetch: () => Promise<Response>, isStreamed: boolean) => Promise<Reply>;

const settings = { apiKey: 'unused', baseURL: 'http://recorded.invalid', maxRetries: 0 };
const question = { model: 'recorded', max_tokens: 1, messages: [{ role: 'user' as const, content: '' }] };

const readers: Readonly<Record<string, Read>> = {
  async '/v1/chat/completions'(fetch, isStreamed) {
    const { completions } = new OpenAI({ ...settings, fetch }).chat;
    const { choices } = isStreamed
      ? await completions.stream(question).finalChatCompletion()
      : await completions.create(question);
    const message = choices[0]?.message;
    for (const call of message?.tool_calls ?? [])
      if (call.type === 'function') return callOf(call.function.name, JSON.parse(call.function.arguments));
    return message?.content ?? '';
  },
  async '/v1/responses'(fetch, isStreamed) {
    const { responses } = new OpenAI({ ...settings, fetch });
    const input = { model: 'recorded', input: '' };
    const response = isStreamed
      ? await responses.stream(input).finalResponse()
      : await responses.create(input);
    for (const item of response.output)
      if (item.type === 'function_call') return callOf(item.name, JSON.parse(item.arguments));
    return response.output_text;
  },
  async '/v1/messages'(fetch, isStreamed) {
    const { messages } = new Anthropic({ ...settings, fetch });
    const { content } = isStreamed
      ? await messages.stream(question).finalMessage()
      : await messages.create(question);
    for (const block of content) if (block.type === 'tool_use') return callOf(block.name, block.input);
    return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
  },
};

const callOf = (tool: string, args: unknown): Call => ({ tool, args: args as Call['args'] });

async function readBySdk({ path, status, contentType, answer }: Exchange): Promise<Reply> {
  const read = readers[path];
  if (read === undefined) throw new Error(`${path} is no endpoint of a model`);
  const headers = { 'content-type': contentType };
  return await read(
    async () => new Response(answer, { status, headers }),
    contentType.startsWith('text/event-stream'),
  );
}
