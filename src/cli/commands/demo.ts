import { Command, Option } from 'commander';
import type { Tool } from '../../sdk/actions/define-tool.js';
import { StepwiseError } from '../../sdk/base/stepwise-error.js';
import { createReadTools } from '../../tools/tool-pack.js';
import { widthOf } from '../display/display.js';
import { paintFor } from '../display/paint.js';
import { explainFailure } from '../screen/explain-failure.js';
import { type RenderOptions, renderEvent } from '../screen/render-event.js';
import { showExact, showExactLine } from '../screen/visible-text.js';
import { findKey } from '../session/choose-model.js';
import { startLocalService } from '../session/local-service.js';
import { connectTo } from '../session/network.js';
import { folderAt } from '../session/open-tools.js';
import { options as declared } from './declared-options.js';
import { parseOptions } from './parse-options.js';
import { showTour } from './tour.js';
import { UsageError } from './usage.js';

const DEFAULT_TASK = 'How is the discount of a coupon calculated, and which limits does it have?';

/** Values of the options that were given. */
interface DemoOptions {
  readonly dir?: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly server?: string;
  readonly tour?: boolean;
  readonly help?: boolean;
}

const command = declareDemo();
const words = readCommandLine();
const values = command.opts<DemoOptions>();
const { dir = 'examples/shop', model = 'offline', upstream, server } = values;

const paint = paintFor(process.stdout);
const options: RenderOptions = {
  paint,
  maxLines: 8,
  width: widthOf(process.stdout),
  verbose: false,
  showAnswer: true,
  showProposals: false,
};

if (values.help) console.log(usage());
else if (values.tour) await tour().catch(explain);
else await demonstrate(words.join(' ') || DEFAULT_TASK).catch(explain);

function declareDemo(): Command {
  const demo = new Command('npm run demo --').usage('["question"] [options]').helpOption(false);
  demo.addOption(new Option('--tour', 'play a recorded run with edits, approvals and a follow-up'));
  for (const option of [declared.dir, declared.model, declared.upstream, declared.server, declared.help])
    demo.addOption(option);
  return demo;
}

function usage(): string {
  return command.helpInformation().trimEnd();
}

function readCommandLine(): string[] {
  try {
    return parseOptions(command, process.argv.slice(2));
  } catch (error) {
    console.error(showExact(`${error instanceof Error ? error.message : error}\n${usage()}`));
    return process.exit(1);
  }
}

/** Prints the message of a usage or service error, and the stack of any other error, which is a bug. */
function explain(error: unknown): void {
  console.error(explanationOf(error));
  process.exitCode = 1;
}

function explanationOf(error: unknown): string {
  if (error instanceof StepwiseError) return explainFailure(error.toStepError());
  if (error instanceof UsageError) return showExact(`${error.message}\n${usage()}`);
  return showExact(String(error instanceof Error ? error.stack : error));
}

async function tour(): Promise<void> {
  if (words.length > 0 || Object.keys(values).length > 1)
    throw new UsageError('--tour plays a recording: it takes no question and no other option.');
  await showTour();
}

/** Runs a task over a folder and prints thought, budget, action and observation of each step, and the answer. */
async function demonstrate(task: string): Promise<void> {
  const tools = await createReadTools(await folderAt(dir));
  const local = server ? undefined : await startLocalService();
  try {
    await show(task, { tools, url: server ?? local?.url ?? '' });
  } finally {
    await local?.close();
  }
}

async function show(task: string, { tools, url }: { tools: readonly Tool[]; url: string }): Promise<void> {
  const models = await connectTo({ baseUrl: url }).models();
  const llmKey = await findKey({ name: model, upstream }, models, { environment: process.env });
  console.log(introduction(url));
  const client = connectTo({ baseUrl: url, ...(llmKey && { llmKey }) });
  const run = client.run(task, {
    llmConfig: {
      modelName: model,
      tokenLimit: 8_000,
      reservedOutputTokens: 1_500,
      ...(upstream && { provider: upstream }),
    },
    tools,
    clientTools: [],
    maxSteps: 8,
  });
  for await (const event of run) for (const line of renderEvent(event, options)) console.log(line);
  const { stopReason } = await run.result();
  process.exitCode = stopReason === 'answered' ? 0 : 1;
}

function introduction(url: string): string {
  const what =
    model === 'offline'
      ? 'offline: an extractive searcher; no language model is called and nothing leaves this machine'
      : showExactLine(model);
  return [
    paint('bold', 'Stepwise: one HTTP call is one step of an agent.'),
    `${paint('dim', 'Model  ')} ${what}`,
    `${paint('dim', 'Folder ')} ${showExactLine(dir)}`,
    `${paint('dim', 'Service')} ${showExactLine(url)} (POST /api/agent/react_step/stream, once a step)`,
  ].join('\n');
}
