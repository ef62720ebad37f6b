import { afterEach } from '@jest/globals';
import { defineTool, type Tool } from '../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { Run } from '../../src/sdk/run/run.js';
import type { RunEvent } from '../../src/sdk/run/run-events.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import type { RunResult } from '../../src/sdk/run/run-result.js';
import { type Script, type ScriptedService, startScriptedService } from './scripted-service.js';

export const llmConfig = { modelName: 'scripted', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
export const key = 'sk-canary-0123456789';
export const task = 'How much is it?';

const open = new Set<ScriptedService>();
afterEach(async () => {
  await Promise.all([...open].map((service) => service.close()));
  open.clear();
});

export interface Started {
  readonly service: ScriptedService;
  readonly run: Run;
}

/** Creates a run against a service that answers as the script says. */
export async function start(script: readonly Script[], options: Partial<RunOptions> = {}): Promise<Started> {
  const service = await startScriptedService(...script);
  open.add(service);
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
  const run = client.run(options.history ? '' : task, { llmConfig, tools: [lookUp], ...options });
  return { service, run };
}

export interface Finished extends Started {
  readonly events: readonly RunEvent[];
  readonly types: readonly RunEvent['type'][];
  readonly result: RunResult;
}

export async function finish(script: readonly Script[], options?: Partial<RunOptions>): Promise<Finished> {
  const started = await start(script, options);
  const events = await readAll(started.run);
  const result = await started.run.result();
  return { ...started, events, types: events.map(({ type }) => type), result };
}

export async function readAll(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

export const lookUp = defineTool({
  name: 'look_up',
  description: 'Look something up.',
  inputSchema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
  annotations: { readOnlyHint: true },
  execute: ({ key: wanted }) => `${wanted} is 42`,
});

/** Creates a tool that needs approval. It records the commands of its calls in `calls`. */
export function recordingTool(): { tool: Tool; calls: string[] } {
  const calls: string[] = [];
  const tool = defineTool({
    name: 'run_command',
    description: 'Run a command.',
    inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
    annotations: { requiresApproval: true },
    preview: async ({ command }) => `$ ${command}`,
    execute: ({ command }) => {
      calls.push(command);
      return `ran ${command}`;
    },
  });
  return { tool: { ...tool, readShellCall }, calls };
}

/** Reads a call of a command tool as a shell call in which every path is inside the folder. */
export const readShellCall: NonNullable<Tool['readShellCall']> = async ({ command: line, ...others }) => ({
  command: String(line),
  others,
  isInside: async () => true,
});

export const command = (text: string): Script => ({
  thought: 'I run it.',
  call: { name: 'run_command', args: { command: text }, requiresApproval: true },
});
export const lookUpCall = (wanted = 'price'): Script => ({
  thought: 'Look it up.',
  call: { name: 'look_up', args: { key: wanted } },
});
export const done: Script = { answer: 'It is 42.' };
