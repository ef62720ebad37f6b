import { parseArgs } from 'node:util';
import { StepwiseClient } from '../../sdk/client/stepwise-client.js';
import { createReadTools } from '../../tools/tool-pack.js';
import { paintFor } from '../screen/paint.js';
import { type RenderOptions, renderEvent } from '../screen/render-event.js';
import { startLocalService } from '../session/local-service.js';
import { findModelKey } from '../session/model-key.js';

const usage = `npm run demo -- ["question"] [--dir PATH] [--model NAME] [--upstream NAME] [--server URL]`;
const defaultTask = 'How is the discount of a coupon calculated, and which limits does it have?';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string', default: 'examples/shop' },
    model: { type: 'string', default: 'offline' },
    upstream: { type: 'string' },
    server: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const paint = paintFor(process.stdout);
const options: RenderOptions = {
  paint,
  maxLines: 8,
  width: process.stdout.columns ?? 100,
  verbose: false,
  showAnswer: true,
};

if (values.help) console.log(usage);
else await demonstrate(positionals.join(' ') || defaultTask);

/** A real run over a folder, each step printed: thought, budget, action, observation, and the answer. */
async function demonstrate(task: string): Promise<void> {
  const { dir, model, upstream, server } = values;
  const llmKey = findModelKey(model, { upstream });
  const local = server ? undefined : await startLocalService();
  const url = server ?? local?.url ?? '';
  console.log(introduction({ dir, model, url }));
  const client = new StepwiseClient({ baseUrl: url, ...(llmKey && { llmKey }) });
  const run = client.run(task, {
    llmConfig: {
      modelName: model,
      tokenLimit: 8_000,
      reservedOutputTokens: 1_500,
      ...(upstream && { provider: upstream }),
    },
    tools: await createReadTools(dir),
    clientTools: [],
    maxSteps: 8,
  });
  for await (const event of run) for (const line of renderEvent(event, options)) console.log(line);
  const { stop_reason } = await run.result();
  await local?.close();
  process.exitCode = stop_reason === 'answered' ? 0 : 1;
}

function introduction({ dir, model, url }: { dir: string; model: string; url: string }): string {
  const what =
    model === 'offline'
      ? 'offline: an extractive searcher; no language model is called and nothing leaves this machine'
      : model;
  return [
    paint('bold', 'Stepwise: one HTTP call is one step of an agent.'),
    `${paint('dim', 'Model  ')} ${what}`,
    `${paint('dim', 'Folder ')} ${dir}`,
    `${paint('dim', 'Service')} ${url} (POST /api/agent/react_step/stream, once a step)`,
  ].join('\n');
}
