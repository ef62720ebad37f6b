/**
 * Tries a small local model through a server that speaks Chat Completions and takes a schema as llama.cpp does: how often
 * a step acts in each protocol, with and without the worked example, and runs of several steps through the CLI.
 *
 *     npm run trial:model -- --url http://127.0.0.1:8000/v1 [--steps 8] [--runs 20]
 *     npm run trial:model -- --python venv/bin/python --file model.gguf
 *
 * The second form starts llama-cpp-python's server. Writes docs/trials/small-model.md and .json.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import type { Step } from '../src/contract/step.js';
import { startService } from '../src/service/start.js';
import { createReadTools } from '../src/tools/index.js';
import { type Protocol, protocols, resultOf, type TriedStep } from './trial/tried-step.js';

const shop = join(process.cwd(), 'examples/shop');
const target = join(process.cwd(), 'docs/trials');

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    python: { type: 'string', default: 'python3' },
    file: { type: 'string' },
    steps: { type: 'string', default: '8' },
    runs: { type: 'string', default: '20' },
    name: { type: 'string', default: 'a small model' },
  },
});

const questions = [
  'Where is the total of a cart computed?',
  'Which coupons does the shop know?',
  'How is shipping priced?',
  'What does the README say about tests?',
  'Where are prices rounded?',
  'Which file holds the catalogue?',
  'How is an order checked before it is placed?',
  'Which currency is used?',
] as const;

interface TriedRun {
  readonly question: string;
  readonly exit: number | null;
  readonly steps: number;
  readonly actions: number;
  readonly failedActions: number;
  readonly unreadable: number;
  readonly answer: string | null;
}

/** Stands between the service and the model, and takes the worked example out of the prompt where it is to be without. */
async function startRelay(url: string): Promise<{ url: string; server: Server; withExample: boolean }> {
  const relay = { url: '', withExample: true };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    const sent = relay.withExample ? body : body.replace(/For example, a whole reply.*?\\n(?=\\n)/, '');
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/chat/completions`, { method: 'POST', headers, body: sent });
    response.writeHead(answer.status, {
      'content-type': answer.headers.get('content-type') ?? 'application/json',
    });
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // an address is a string for pipes alone
  const { port } = server.address() as AddressInfo;
  return Object.assign(relay, { url: `http://127.0.0.1:${port}/v1`, server });
}

const upstreamsFor = (url: string) => ({ trial: { url, keyRequired: false, structured: 'llama' } });
const llmConfig = {
  provider: 'trial',
  modelName: 'any',
  tokenLimit: 8_000,
  reservedOutputTokens: 700,
  maxOutputTokens: 120,
};
const trialId = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';

async function trySteps(url: string): Promise<TriedStep[]> {
  const relay = await startRelay(url);
  const service = await startService(
    { PORT: 0, UPSTREAMS: JSON.stringify(upstreamsFor(relay.url)), STEP_DEADLINE_MS: 280_000 },
    pino({ level: 'silent' }),
  );
  const tools = (await createReadTools(shop))
    .filter(({ name }) => ['read_file', 'list_files', 'search_code'].includes(name))
    .map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const tried: TriedStep[] = [];
  for (const [example, protocol] of [true, false].flatMap((each) =>
    protocols.map((name) => [each, name] as const),
  )) {
    relay.withExample = example;
    for (let index = 0; index < Number(options.steps); index += 1) {
      const question = questions[index % questions.length] ?? questions[0];
      const step = await postStep(service.url, { question, protocol, tools, seed: index });
      const { confidence = null } = step.parse ?? {};
      tried.push({
        protocol,
        example,
        question,
        result: resultOf(step),
        confidence,
        reply: step.completion_text ?? null,
      });
      process.stderr.write(`${protocol} ${example ? 'with' : 'without'} example: ${tried.at(-1)?.result}\n`);
    }
  }
  await service.close();
  relay.server.close();
  return tried;
}

async function postStep(
  url: string,
  { question, protocol, tools, seed }: { question: string; protocol: Protocol; tools: unknown; seed: number },
): Promise<Step> {
  const response = await fetch(`${url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      project_id: trialId,
      session_id: trialId,
      user_query: question,
      conversation_history: [],
      llm_config: { ...llmConfig, temperature: 0.5, seed, deadlineMs: 280_000 },
      max_iterations_left: 5,
      protocol,
      tools,
      include: { completion_text: true },
    }),
  });
  // the service holds its answers to its contract
  return (await response.json()) as Step;
}

async function tryRuns(url: string): Promise<TriedRun[]> {
  const tried: TriedRun[] = [];
  for (let index = 0; index < Number(options.runs); index += 1) {
    const question = questions[index % questions.length] ?? questions[0];
    tried.push(await tryRun(url, question));
    process.stderr.write(`run ${index + 1}: ${JSON.stringify(tried.at(-1)).slice(0, 200)}\n`);
  }
  return tried;
}

/** One run through the CLI as anyone would start it. */
async function tryRun(url: string, question: string): Promise<TriedRun> {
  const flags = [
    '--upstream',
    'trial',
    '--model',
    'any',
    '--protocol',
    'json',
    '--max-steps',
    '4',
    '--token-limit',
    '8000',
  ];
  const child = spawn(
    process.execPath,
    [join(process.cwd(), '.build/src/cli/main.js'), ...flags, '--dir', shop, '--json', question],
    {
      env: { ...process.env, UPSTREAMS: JSON.stringify(upstreamsFor(url)), STEP_DEADLINE_MS: '280000' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [exit] = await once(child, 'close');
  const events = out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  const count = (type: string) => events.filter((event) => event.type === type).length;
  const end = events.findLast((event) => event.type === 'agent_completion' || event.type === 'agent_stopped');
  return {
    question,
    exit,
    steps: count('agent_turn_start'),
    actions: count('tool_start'),
    failedActions: count('tool_error'),
    unreadable: events.filter((event) => JSON.stringify(event).includes('unreadable_action')).length,
    answer: end?.result?.answer ?? null,
  };
}

/** Starts llama-cpp-python's server. */
async function startModel(file: string): Promise<{ url: string; child: ChildProcess }> {
  const port = '18742';
  const args = [
    '-m',
    'llama_cpp.server',
    '--model',
    file,
    '--host',
    '127.0.0.1',
    '--port',
    port,
    '--n_ctx',
    '8192',
    '--chat_format',
    'chatml',
  ];
  const child = spawn(options.python, args, { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}/v1`;
  for (let tries = 0; tries < 120; tries += 1) {
    if (
      await fetch(`${url}/models`).then(
        (answer) => answer.ok,
        () => false,
      )
    )
      return { url, child };
    await wait(1_000);
  }
  child.kill();
  throw new Error('The model did not start.');
}

function report(steps: readonly TriedStep[], runs: readonly TriedRun[]): string {
  const kinds = ['acted', 'answered', 'unlabelled', 'unreadable', 'cut', 'failed'] as const;
  const rows = protocols.flatMap((protocol) =>
    [true, false].map((example) => {
      const cell = steps.filter((step) => step.protocol === protocol && step.example === example);
      const valid = cell.filter(({ result }) => result === 'acted' || result === 'answered').length;
      const counts = kinds.map((kind) => cell.filter(({ result }) => result === kind).length);
      return `| ${protocol} | ${example ? 'yes' : 'no'} | ${cell.length} | ${valid} | ${counts.join(' | ')} |`;
    }),
  );
  const sum = (pick: (run: TriedRun) => number) => runs.reduce((total, run) => total + pick(run), 0);
  return `# ${options.name}, step by step

Made by \`npm run trial:model\` on ${new Date().toISOString().slice(0, 10)}: temperature 0.5, at most 120 tokens a reply, three tools over
\`examples/shop\`. \`json\` is held to the schema in llama.cpp's form. Every reply is in [small-model.json](small-model.json).

A first step is *valid* if it acts on an offered tool with arguments that pass its schema, or answers in the taught form.

| protocol | example | steps | valid | ${kinds.join(' | ')} |
| --- | --- | --- | --- | ${kinds.map(() => '---').join(' | ')} |
${rows.join('\n')}

${runs.length} runs through the CLI with \`--protocol json --max-steps 4\` and the whole tool pack: ${sum(({ steps: each }) => each)} steps, ${sum(({ actions }) => actions)} actions (${sum(({ failedActions }) => failedActions)} of them failed
in the tool, such as a file that does not exist), ${sum(({ unreadable }) => unreadable)} unreadable; ${runs.filter(({ exit }) => exit === 0).length} runs answered, ${runs.filter(({ exit }) => exit === 2).length} ended at the step limit, ${runs.filter(({ exit }) => exit !== 0 && exit !== 2).length} otherwise.
`;
}

if (!options.url && !options.file) {
  console.error('Give --url of a server that runs, or --file of a model to start one.');
  process.exit(2);
}
const { url, child } = options.url
  ? { url: options.url, child: undefined }
  : await startModel(options.file ?? '');
try {
  const steps = await trySteps(url);
  const runs = await tryRuns(url);
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, 'small-model.json'), `${JSON.stringify({ steps, runs }, null, 2)}\n`);
  writeFileSync(join(target, 'small-model.md'), report(steps, runs));
} finally {
  child?.kill();
}
