import Anthropic from '@anthropic-ai/sdk';
import { description, holdAll, model, name, parameters, run, task } from './conversation.mjs';

async function messages(url, ask) {
  const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 });
  const tools = [{ name, description, input_schema: parameters }];
  const conversation = [{ role: 'user', content: task }];
  const { input_tokens } = await client.messages.countTokens({ model, tools, messages: conversation });
  if (!(input_tokens > 0)) throw new Error(`counted ${input_tokens} tokens`);
  for (;;) {
    const body = { model, max_tokens: 1_000, tools, messages: conversation };
    const { content, stop_reason: reason } = await ask(client, body);
    if (reason !== 'tool_use') return content.map((block) => block.text ?? '').join('');
    const results = content
      .filter(({ type }) => type === 'tool_use')
      .map((call) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content: run(call.name, JSON.stringify(call.input)),
      }));
    conversation.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
}

await holdAll({
  messages: (url) => messages(url, (client, body) => client.messages.create(body)),
  'messages, streamed': (url) => messages(url, (client, body) => client.messages.stream(body).finalMessage()),
});
