import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenResponses } from '@ai-sdk/open-responses';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount, jsonSchema, streamText, tool } from 'ai';
import { description, holdAll, model, name, parameters, readFile, task } from './conversation.mjs';

const providers = {
  chat: (url) =>
    createOpenAICompatible({ name: 'stepwise', baseURL: `${url}/v1`, apiKey: 'any' }).chatModel(model),
  responses: (url) =>
    createOpenResponses({ name: 'stepwise', url: `${url}/v1/responses`, apiKey: 'any' })(model),
  messages: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'any' })(model),
};

const optionsOf = (model) => ({
  model,
  prompt: task,
  maxRetries: 0,
  stopWhen: isStepCount(4),
  tools: { [name]: tool({ description, inputSchema: jsonSchema(parameters), execute: readFile }) },
});

async function stream(model) {
  let failure;
  const result = streamText({
    ...optionsOf(model),
    onError: ({ error }) => {
      failure = error;
    },
  });
  await result.consumeStream();
  if (failure !== undefined) throw failure;
  return result.text;
}

const conversations = Object.entries(providers).flatMap(([wire, modelAt]) => [
  [wire, async (url) => (await generateText(optionsOf(modelAt(url)))).text],
  [`${wire}, streamed`, (url) => stream(modelAt(url))],
]);
await holdAll(Object.fromEntries(conversations));
