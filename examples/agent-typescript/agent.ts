import { defineTool, explainEnd, StepwiseClient } from 'stepwise';
import { createReadTools } from 'stepwise/tools';

const client = new StepwiseClient({
  baseUrl: process.env['STEPWISE_URL'] ?? 'http://127.0.0.1:8080',
  llmKey: process.env['STEPWISE_LLM_KEY'],
});

const today = defineTool({
  name: 'today',
  description: 'The date of today.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: true },
  execute: () => new Date().toDateString(),
});

const [folder = '.', task = 'What is this project about?'] = process.argv.slice(2);
const run = client.run(task, {
  llmConfig: { modelName: process.env['MODEL'] ?? 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000 },
  tools: [...(await createReadTools(folder)), today],
});

for await (const event of run) {
  if (event.type === 'agent_reason' && event.thought) console.log(`💭 ${event.thought}`);
  if (event.type === 'tool_start') console.log(`🔧 ${event.toolName} ${JSON.stringify(event.toolArgs)}`);
  if (event.type === 'agent_completion') console.log(`\n${event.result.answer}`);
  if (event.type === 'agent_stopped') console.error(explainEnd(event.result));
  if (event.type === 'agent_stopped') process.exitCode = 1;
}
