import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from '@openai/agents';
import OpenAI from 'openai';
import { description, holdAll, model, name, parameters, readFile, task } from './conversation.mjs';

setTracingDisabled(true);

async function hold(url, Model, stream) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
  const tools = [tool({ name, description, parameters, strict: true, execute: readFile })];
  const agent = new Agent({ name: 'reader', model: new Model(client, model), tools });
  const result = await run(agent, task, { stream, maxTurns: 4 });
  if (stream) await result.completed;
  return result.finalOutput;
}

await holdAll({
  chat: (url) => hold(url, OpenAIChatCompletionsModel, false),
  'chat, streamed': (url) => hold(url, OpenAIChatCompletionsModel, true),
  responses: (url) => hold(url, OpenAIResponsesModel, false),
  'responses, streamed': (url) => hold(url, OpenAIResponsesModel, true),
});
