/**
 * Holds conversations with a tool through several client libraries, in each API that a library supports, plain and
 * streamed. They use the service with a scripted model that writes its calls as text. The answers are checked against
 * the vendors' types, and a table shows the results. Arguments name the libraries to try (default: all, and the
 * programs of docs/use-it-with-your-agent.md). The libraries are installed once, in fixed versions. Exits with 1 if a
 * conversation failed.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FakeProvider, startFakeProvider } from '../src/offline/fake-provider.js';
import { readConfig } from '../src/service/settings/config.js';
import { type Service, startService } from '../src/service/start.js';
import { type Exchange, type Recorder, startRecorder } from './agents/recorder.js';
import { judgeByPython, judgeByTypeScript } from './sdks/judge-answers.js';
import { type Place, replyToPagePrograms, runPagePrograms } from './sdks/page-programs.js';
import { type Conversation, node, packages, type Sdk, sdks } from './sdks/sdks.js';
import { installNode, installPython } from './upstreams/program.js';

const execute = promisify(execFile);
const TIMEOUT_MS = 180_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const compiler = join(root, 'node_modules/typescript/bin/tsc');
/** The folder of the packages is outside the checkout, so that only the first run downloads them. */
const folder = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'stepwise-sdks');

const content = 'The kettle is cold.';
const answer = `It says: ${content}`;

/** A conversation that was held, with the answers that the service sent to it. */
interface Held {
  readonly sdk: Sdk;
  readonly conversation: Conversation;
  readonly exchanges: readonly Exchange[];
  readonly problem: string | undefined;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => sdks.every((sdk) => sdk.name !== name));
if (unknown.length > 0)
  throw new Error(`unknown: ${unknown.join(', ')}; known: ${sdks.map(({ name }) => name).join(', ')}`);
process.exitCode = (await checkAll(sdks.filter(({ name }) => names.length === 0 || names.includes(name))))
  ? 0
  : 1;

async function checkAll(chosen: readonly Sdk[]): Promise<boolean> {
  const places = install();
  const fake = await startFakeProvider(reply);
  const service = await startServiceFor(fake);
  const held: Held[] = [];
  for (const sdk of chosen) held.push(...(await hold(sdk, places[sdk.registry], service.url)));
  fake.script(replyToPagePrograms);
  const programs = names.length > 0 ? [] : await runPagePrograms(places, service.url);
  await service.close();
  await fake.close();
  const problems = judge(held, places);
  for (const [index, { sdk, conversation, exchanges }] of held.entries()) {
    const problem = problems[index];
    const row = [sdk.registry.padEnd(5), sdk.name.padEnd(20), conversation.name.padEnd(21)];
    console.log([...row, `${exchanges.length} answers `, problem ? `FAILED: ${problem}` : 'ok'].join(' '));
  }
  for (const { title, problem } of programs) {
    console.log(`page  ${title}  ${problem ? `FAILED: ${problem}` : 'ok'}`);
    problems.push(problem);
  }
  const failed = problems.filter((problem) => problem !== undefined).length;
  console.log(`${problems.length - failed} passed, ${failed} failed`);
  return failed === 0 && held.length > 0;
}

function startServiceFor({ url }: FakeProvider): Promise<Service> {
  const local = { url: `${url}/v1`, keyRequired: false, contextWindow: 32_000 };
  return startService(readConfig({ PORT: '0', LOG_LEVEL: 'silent', UPSTREAMS: JSON.stringify({ local }) }));
}

/**
 * Replies like a model that writes its calls as text: first reads the file, then answers. If the request has no tools,
 * answers at once.
 */
function reply({ rawBody }: { readonly rawBody: string }): { readonly text: string } {
  if (!rawBody.includes('Final Answer:')) return { text: answer };
  if (rawBody.includes(content)) return { text: `Thought: I know it.\nFinal Answer: ${answer}` };
  return { text: 'Thought: I look.\nAction: read_file(path="kettle.txt")' };
}

/** Installs the libraries, and copies the programs that use them into the same folders. */
function install(): Record<Sdk['registry'], Place> {
  const program = join(
    installNode(join(folder, 'node'), [node], { runsScripts: true }),
    'node_modules/.bin/node',
  );
  const places = {
    npm: { command: [program] as const, folder: installNode(join(folder, 'npm'), packages.npm) },
    pypi: {
      command: [join(folder, 'pypi/bin/python')] as const,
      folder: join(installPython(join(folder, 'pypi'), packages.pypi), 'programs'),
    },
  };
  for (const place of Object.values(places)) {
    mkdirSync(place.folder, { recursive: true });
    cpSync(join(root, 'scripts/sdks/programs'), place.folder, { recursive: true });
  }
  return places;
}

/**
 * Runs the program of a library. Each conversation uses a service address of its own, so that its answers can be told
 * apart from those of the others.
 */
async function hold(sdk: Sdk, { command, folder: cwd }: Place, serviceUrl: string): Promise<Held[]> {
  const recorders: Recorder[] = [];
  for (const _ of sdk.conversations) recorders.push(await startRecorder(serviceUrl));
  const list = sdk.conversations.map(({ name }, index) => ({ name, url: recorders[index]?.url }));
  const [program, ...words] = command;
  // The program inherits no other variables, so it finds neither keys nor proxies.
  const env = { PATH: process.env['PATH'], HOME: cwd, PYTHONDONTWRITEBYTECODE: '1' };
  const outcomes = await execute(program, [...words, sdk.program, JSON.stringify(list)], {
    cwd,
    env,
    timeout: TIMEOUT_MS,
  }).then(
    ({ stdout }) => JSON.parse(stdout.trim().split('\n').at(-1) ?? ''),
    (error) => list.map(() => ({ problem: String(error) })),
  );
  const held = sdk.conversations.map((conversation, index) => {
    const exchanges = recorders[index]?.exchanges ?? [];
    const { answer, problem } = outcomes[index] ?? {};
    return { sdk, conversation, exchanges, problem: problem ?? problemOf(conversation, exchanges, answer) };
  });
  for (const recorder of recorders) await recorder.close();
  return held;
}

function problemOf(
  { isStreamed, isRefused }: Conversation,
  exchanges: readonly Exchange[],
  said: string,
): string | undefined {
  const asked = exchanges.filter(({ path }) => !path.endsWith('/count_tokens'));
  if (asked.some(({ status }) => status !== (isRefused ? 400 : 200)))
    return `statuses: ${asked.map(({ status }) => status).join(', ')}`;
  if (asked.length === 0) return 'no request came';
  if (asked.some(({ contentType }) => contentType.startsWith('text/event-stream') !== isStreamed))
    return isStreamed ? 'the answers were not streamed' : 'the answers were streamed';
  return said.includes(isRefused ? 'stored' : content) ? undefined : `the answer was: ${said}`;
}

/** Returns the problem of each conversation, including those of its answers; undefined if there is none. */
function judge(held: readonly Held[], { npm, pypi }: Record<Sdk['registry'], Place>): (string | undefined)[] {
  const owned = held.flatMap(({ exchanges, conversation }, owner) =>
    conversation.isRefused ? [] : exchanges.map((exchange) => ({ owner, exchange })),
  );
  const exchanges = owned.map(({ exchange }) => exchange);
  const judgements = [
    judgeByPython(exchanges, pypi.command[0], pypi.folder),
    judgeByTypeScript(exchanges, compiler, npm.folder),
  ];
  return held.map(({ problem }, index) => {
    const own = judgements.flatMap((each) => each.filter((_, place) => owned[place]?.owner === index));
    return problem ?? own.find((each) => each !== null) ?? undefined;
  });
}
