import { json } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { defineTool, StepwiseClient, type Tool } from '../../src/sdk/index.js';
import { startService } from '../../src/service/server.js';

/** The program of this project's own agent: the SDK's loop over a service, as the README sets them up. It says what those of the other agents say. */
interface Run {
  readonly url: string;
  readonly key: string;
  readonly task: string;
  readonly model: string;
  readonly timeout: number | null;
}

/** The window of the models that are asked for; a run without it would have 32,000 tokens. */
const windows: Readonly<Record<string, number>> = { 'gpt-4': 8_192 };
const logLine = '12:00:00 order 4711 took the coupon SAVE10 and was shipped to the second floor\n';

const toolsInto = (deleted: string[]): Tool[] => [
  defineTool({
    name: 'delete_all',
    description: 'Deletes every order of the shop.',
    inputSchema: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
    execute: ({ reason }) => {
      deleted.push(reason);
      return 'Nothing is left.';
    },
  }),
  defineTool({
    name: 'read_log',
    description: 'Reads the log of the shop.',
    inputSchema: { type: 'object', properties: { day: { type: 'string' } }, required: ['day'] },
    execute: () => logLine.repeat(6_000).slice(0, 400_000),
  }),
];

async function perform(agent: string, { url, key, task, model, timeout }: Run) {
  const deleted: string[] = [];
  const service = await startService({ PORT: 0, OPENAI_UPSTREAM_URL: `${url}/v1` });
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
  const run = client.run(task, {
    llmConfig: {
      modelName: model,
      ...(windows[model] && { tokenLimit: windows[model] }),
      ...(timeout && { deadlineMs: timeout * 1_000 }),
    },
    tools: toolsInto(deleted),
    ...(agent.endsWith('native') && { protocol: 'native' }),
  });
  console.log('@@start');
  const start = performance.now();
  const { answer, stop_reason, error } = await run.result();
  const seconds = (performance.now() - start) / 1_000;
  await service.close();
  const ending = error ? `error \`${error.code}\`` : `stopped: \`${stop_reason}\``;
  return {
    answer,
    ending: stop_reason === 'answered' ? null : ending,
    seconds,
    deleted,
    raised: JSON.stringify(error),
    printed: `${inspect(client, { depth: 9, showHidden: true })}\n${JSON.stringify(client)}`,
  };
}

// the driver writes it
const order = (await json(process.stdin)) as { agent: string; runs: Run[] };
for (const run of order.runs) console.log(`@@run ${JSON.stringify(await perform(order.agent, run))}`);
