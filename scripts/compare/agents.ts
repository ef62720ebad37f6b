import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Dialect, dialects } from './dialects.js';

/** An agent as its documents set it up, with everything left at its default that need not be set. */
export interface Agent {
  /** As the tables call it, and as its program knows it. */
  readonly name: string;
  readonly framework: Framework;
  readonly dialect: Dialect;
  /** How its model says what it wants to do, for the page. */
  readonly acts: string;
  /** False: the upstream refuses native tools, as servers of small models do, so that the agent falls back on text. */
  readonly takesTools: boolean;
  readonly command: readonly [string, ...string[]];
}

const frameworks = ['langchain', 'llama-index', 'smolagents', 'crewai'] as const;
export type Framework = 'stepwise' | (typeof frameworks)[number];

const scratch = resolve('node_modules/.cache/compare-agents');
const programs = 'scripts/compare/python';
const interpreterOf = (framework: Framework): string => join(scratch, framework, 'bin/python');

const stepwise = {
  framework: 'stepwise',
  takesTools: true,
  command: [process.execPath, '.build/scripts/compare/stepwise.js'],
} as const;
const python = (framework: Framework) =>
  ({
    framework,
    takesTools: true,
    command: [interpreterOf(framework), join(programs, `${framework.replace('-', '_')}_agents.py`)],
  }) as const;

const nativeCalls = 'tool calls of the API';
const twoLines = '`Action:` and `Action Input:`';

export const agents: readonly Agent[] = [
  { ...stepwise, name: 'Stepwise, text', dialect: dialects.call, acts: '`Action: tool(argument="…")`' },
  { ...stepwise, name: 'Stepwise, native', dialect: dialects.nativeOrCall, acts: nativeCalls },
  {
    ...python('langchain'),
    name: 'LangChain `create_agent`',
    dialect: dialects.native,
    acts: nativeCalls,
  },
  {
    ...python('langchain'),
    name: 'LangChain classic `create_react_agent`',
    dialect: dialects.plainInput,
    acts: twoLines,
  },
  {
    ...python('llama-index'),
    name: 'LlamaIndex `ReActAgent`',
    dialect: dialects.objectInputAnswer,
    acts: twoLines,
  },
  {
    ...python('smolagents'),
    name: 'smolagents `ToolCallingAgent`',
    dialect: dialects.nativeFinal,
    acts: `${nativeCalls}, the answer too`,
  },
  {
    ...python('smolagents'),
    name: 'smolagents `ToolCallingAgent`, text',
    dialect: dialects.jsonFinal,
    acts: 'JSON in the text, from a server that ignores tools',
  },
  {
    ...python('smolagents'),
    name: 'smolagents `CodeAgent`',
    dialect: dialects.code,
    acts: 'Python in `<code>`, the answer too',
  },
  { ...python('crewai'), name: 'CrewAI `Agent`', dialect: dialects.native, acts: nativeCalls },
  {
    ...python('crewai'),
    name: 'CrewAI `Agent`, text',
    dialect: dialects.objectInput,
    acts: `${twoLines}, from a server that refuses tools`,
    takesTools: false,
  },
];

/** Nothing but loopback can be reached, nothing of the person's is read, and nothing is reported. */
export const environment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: join(scratch, 'home'),
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  ALL_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  PYTHONUNBUFFERED: '1',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONIOENCODING: 'utf-8',
  CREWAI_DISABLE_TELEMETRY: 'true',
  CREWAI_DISABLE_TRACKING: 'true',
  CREWAI_TRACING_ENABLED: 'false',
  OTEL_SDK_DISABLED: 'true',
  LANGSMITH_TRACING: 'false',
  HF_HUB_DISABLE_TELEMETRY: '1',
  HF_HUB_OFFLINE: '1',
  ANONYMIZED_TELEMETRY: 'False',
};

/** Makes an environment of Python for each framework, since they do not agree on what they need; the first time takes minutes. */
export function installFrameworks(): void {
  mkdirSync(join(scratch, 'home'), { recursive: true });
  for (const framework of frameworks) install(framework);
}

function install(framework: Framework): void {
  const list = requirementsOf(framework);
  const stamp = join(scratch, framework, 'installed.txt');
  const wanted = readFileSync(list, 'utf8');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return;
  console.log(`installing ${framework} …`);
  execFileSync('python3', ['-m', 'venv', '--clear', join(scratch, framework)], { stdio: 'inherit' });
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--requirement', list];
  execFileSync(interpreterOf(framework), pip, { stdio: 'inherit', timeout: 900_000 });
  writeFileSync(stamp, wanted);
}

const requirementsOf = (framework: Framework): string => join(programs, 'requirements', `${framework}.txt`);

/** The packages that are asked for, and the client with which they call the model. */
export function versionsOf(framework: Framework): string {
  if (framework === 'stepwise') return `stepwise ${JSON.parse(readFileSync('package.json', 'utf8')).version}`;
  const asked = readFileSync(requirementsOf(framework), 'utf8').match(/^[\w-]+/gm) ?? [];
  const list = ['-m', 'pip', 'list', '--format=json', '--disable-pip-version-check'];
  const installed: { name: string; version: string }[] = JSON.parse(
    execFileSync(interpreterOf(framework), list, { encoding: 'utf8' }),
  );
  return [...asked, 'openai']
    .map((name) => `${name} ${installed.find((each) => each.name === name)?.version ?? 'is missing'}`)
    .join(', ');
}

export function pythonVersion(): string {
  return execFileSync('python3', ['--version'], { encoding: 'utf8' }).replace('Python', '').trim();
}
