import OpenAI from 'openai';
import { description, holdAll, model, name, parameters, run, task } from './conversation.mjs';

const clientOf = (url) => new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });

async function chat(url, ask) {
  const client = clientOf(url);
  const tools = [{ type: 'function', function: { name, description, parameters } }];
  const messages = [{ role: 'user', content: task }];
  for (;;) {
    const { message, finish_reason: reason } = (await ask(client, { model, messages, tools })).choices[0];
    if (reason !== 'tool_calls') return message.content;
    messages.push(message);
    for (const { id, function: called } of message.tool_calls)
      messages.push({ role: 'tool', tool_call_id: id, content: run(called.name, called.arguments) });
  }
}

async function responses(url, ask) {
  const client = clientOf(url);
  const tools = [{ type: 'function', name, description, parameters, strict: true }];
  const input = [{ role: 'user', content: task }];
  for (;;) {
    const { output, output_text: text } = await ask(client, { model, input, tools, store: false });
    const calls = output.filter(({ type }) => type === 'function_call');
    if (calls.length === 0) return text;
    input.push(...output);
    for (const { call_id, name: called, arguments: written } of calls)
      input.push({ type: 'function_call_output', call_id, output: run(called, written) });
  }
}

await holdAll({
  chat: (url) => chat(url, (client, body) => client.chat.completions.create(body)),
  'chat, streamed': (url) =>
    chat(url, (client, body) => client.chat.completions.stream(body).finalChatCompletion()),
  responses: (url) => responses(url, (client, body) => client.responses.create(body)),
  'responses, streamed': (url) =>
    responses(url, (client, body) => client.responses.stream(body).finalResponse()),
});
