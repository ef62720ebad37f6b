import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { defineTool } from '../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { Trajectory } from '../../src/sdk/run/trajectory.js';
import { key, startWholeService, type WholeService } from './whole-service.js';

const readFile = defineTool({
  name: 'read_file',
  description: 'Reads a file.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  execute: ({ path }) => `content of ${path}`,
});
const search = defineTool({
  name: 'search',
  description: 'Searches all files.',
  inputSchema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
  execute: () => 'nothing found',
});

const sessionTools = [readFile, search];

/** Replies of a run of four steps. */
export const fourSteps = [
  { text: 'Thought: I begin.\nAction: search(pattern="total")' },
  { text: 'Thought: I read.\nAction: read_file(path="a.ts")' },
  { text: 'Thought: I read on.\nAction: read_file(path="b.ts")' },
  { text: 'Thought: I know.\nFinal Answer: In b.ts.' },
] as const;

/** Returns the reply at the index that equals the number of observations in the prompt. */
export function replyByProgress(
  replies: readonly ScriptedReply[],
  { body }: { readonly body: Readonly<Record<string, unknown>> },
): ScriptedReply {
  const done = JSON.stringify(body['messages']).split('<observation tool=').length - 1;
  return replies[Math.min(done, replies.length - 1)] ?? { text: 'Final Answer: nothing' };
}

/** Replies as in `fourSteps`, but with another tool in the third step if the instructions are terse. */
export function replyByInstructions(request: {
  readonly body: Readonly<Record<string, unknown>>;
}): ScriptedReply {
  const isTerse = JSON.stringify(request.body).includes('Be terse.');
  const other = { text: 'Action: search(pattern="b")' };
  const replies = isTerse ? [fourSteps[0], fourSteps[1], other, fourSteps[3]] : fourSteps;
  return replyByProgress(replies, request);
}

/** A service that records its steps, its fake provider, and the folder of the recorded runs. */
export interface RecordingBench {
  readonly service: WholeService;
  readonly folder: string;
  /**
   * Makes a run with the scripted model, so that the service records it. Returns the run as the SDK saves it, without
   * its requests.
   */
  record(task?: string): Promise<Trajectory>;
  /** Settings of a service whose upstream `local` is the same provider. */
  readonly settings: { readonly UPSTREAMS: Readonly<Record<string, { url: string; keyRequired: false }>> };
}

/** Starts a recording service whose model replies as `fourSteps`. */
export async function startRecordingBench(folder: string): Promise<RecordingBench> {
  mkdirSync(folder, { recursive: true });
  const service = await startWholeService((request) => replyByProgress(fourSteps, request), {
    RECORD_DIR: folder,
  });
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
  return {
    service,
    folder,
    settings: { UPSTREAMS: { local: { url: `${service.fake.url}/v1`, keyRequired: false } } },
    record: async (task = 'Where is the total computed?') => {
      const run = client.run(task, {
        llmConfig: {
          modelName: 'scripted',
          provider: 'local',
          tokenLimit: 16_000,
          reservedOutputTokens: 1_000,
        },
        tools: sessionTools,
        instructions: 'Answer in one sentence.',
      });
      await run.result();
      return run.save();
    },
  };
}

/** Returns the files of the recorded runs. */
export const recordedFiles = (folder: string): readonly string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(folder, name));
