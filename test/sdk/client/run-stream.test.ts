import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { startLocalService } from '../../../src/cli/session/local-service.js';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import { readRunEvents, toResponse } from '../../../src/sdk/client/run-stream.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import type { Run } from '../../../src/sdk/run/run.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import { RunFailedError } from '../../../src/sdk/run/run-failed-error.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { reduceRun } from '../../../src/sdk/view/reduce-run.js';
import { emptyRun } from '../../../src/sdk/view/run-view.js';
import { listen } from '../../support/listen.js';
import { command, done, lookUp, lookUpCall, recordingTool, start } from '../../support/run-harness.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Serves one run to a browser, as a back end of the user would. */
async function serve(run: Run): Promise<string> {
  const server = createServer(async (_request, response) => {
    const { headers, body } = toResponse(run);
    response.setHeaders(headers);
    if (body) await pipeline(Readable.fromWeb(body), response).catch(() => undefined);
  });
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return listen(server);
}

async function readAll(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

describe('a run that a server forwards to a browser (rule: run-to-browser)', () => {
  test('a forwarded run arrives with all events and the whole result, which reduceRun turns into the state of the run', async () => {
    const { run } = await start([lookUpCall(), done]);
    const response = await fetch(await serve(run));
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const events = await readAll(readRunEvents(response));
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['agent_start', 'tool_complete', 'answer_delta', 'agent_completion']),
    );
    const view = events.reduce((before, event) => reduceRun(before, event), emptyRun());
    expect(view.result?.answer).toBe('It is 42.');
    const last = events.at(-1);
    expect(last?.type === 'agent_completion' && last.result.summary()).toBe((await run.result()).summary());
  });

  test('a forwarded run stops when the browser leaves', async () => {
    const { run } = await start([lookUpCall(), done]);
    for await (const { type } of readRunEvents(await fetch(await serve(run))))
      if (type === 'tool_start') break;
    expect((await run.result()).stopReason).toBe('stopped');
  });

  test('an event that JSON cannot contain fails the response, stops the run and ends its heartbeat', async () => {
    const { tool } = recordingTool();
    const preview = async () => 1n as unknown as string; // a preview of a caller without types
    const approve = async () => ({ type: 'allow' }) as const;
    const { run } = await start([command('ls'), done], { tools: [{ ...tool, preview }], approve });
    const begun = jest.spyOn(globalThis, 'setInterval');
    const ended = jest.spyOn(globalThis, 'clearInterval');
    await expect(toResponse(run).text()).rejects.toThrow('BigInt');
    const heartbeat = begun.mock.results[begun.mock.calls.findIndex(([, ms]) => ms === 15_000)]?.value;
    expect(ended.mock.calls.flat()).toContain(heartbeat);
    expect((await run.result()).stopReason).toBe('stopped');
    jest.restoreAllMocks();
  });

  test('readRunEvents throws if the server refuses, with its status, and if the connection ends too early', async () => {
    await expect(readAll(readRunEvents(new Response('no', { status: 503 })))).rejects.toThrow(
      'The server answered with status 503.',
    );
    await expect(readAll(readRunEvents(new Response('data: {"type":"agent_start"}\n\n')))).rejects.toThrow(
      'The connection ended before the last event of the run.',
    );
  });
});

describe('the text of an answer as a stream (rule: text-stream)', () => {
  const against = async (texts: readonly string[], options: Partial<RunOptions> = {}): Promise<Run> =>
    runAgainst(await startFakeProvider(texts.map((text) => ({ text }))), options);

  async function runAgainst(provider: FakeProvider, options: Partial<RunOptions> = {}): Promise<Run> {
    const service = await startLocalService({ UPSTREAMS: JSON.stringify({ fake: `${provider.url}/v1` }) });
    closing.push(
      () => provider.close(),
      () => service.close(),
    );
    const llmConfig = { modelName: 'm', provider: 'fake' };
    return new StepwiseClient({ baseUrl: service.url, llmKey: 'sk-canary-0123456789' }).run('How much?', {
      llmConfig,
      ...options,
    });
  }

  async function chunksOf(run: Run): Promise<string[]> {
    const chunks: string[] = [];
    for await (const chunk of run.textStream()) chunks.push(chunk);
    return chunks;
  }

  test('a plain-prose answer arrives as answer_delta while the model writes it, if no tools are offered', async () => {
    const run = await against(['It is forty-two, without any label.'], { clientTools: [] });
    const deltas = (await readAll(run)).flatMap((each) => (each.type === 'answer_delta' ? each.delta : []));
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join('')).toBe('It is forty-two, without any label.');
  });

  test('textStream() has the labelled answer in parts, without thoughts and calls', async () => {
    const run = await against(
      ['Thought: I look.\nAction: look_up(key="price")', 'Thought: Good.\nFinal Answer: It is 42 in all.'],
      { tools: [lookUp] },
    );
    const chunks = await chunksOf(run);
    expect(chunks.length).toBeGreaterThan(2);
    expect(chunks.join('')).toBe('It is 42 in all.');
  });

  test('textStream() has an answer without a label at its end, if tools were offered', async () => {
    expect(await chunksOf(await against(['It is 42.'], { tools: [lookUp] }))).toEqual(['It is 42.']);
  });

  test('textStream() throws RunFailedError if the run ends without an answer', async () => {
    const run = await against([]);
    await expect(chunksOf(run)).rejects.toThrow(RunFailedError);
  });

  test('textStream() stops the run if its reader leaves', async () => {
    const run = await against(['It is forty-two, without any label.'], { clientTools: [] });
    for await (const _ of run.textStream()) break;
    const { stopReason } = await run.result();
    expect(stopReason).toBe('stopped');
  });

  test('a run stops at once if the reader of its text, events or response leaves while the model is silent (rule: run-events)', async () => {
    const streams = [
      (run: Run) => Readable.from(run.textStream()),
      (run: Run) => Readable.from(run),
      (run: Run) => Readable.fromWeb(toResponse(run).body ?? new ReadableStream()),
    ];
    for (const streamOf of streams) {
      const provider = await startFakeProvider({ fault: 'silence' });
      const run = await runAgainst(provider);
      const stream = streamOf(run).resume();
      await provider.request(0);
      stream.destroy();
      expect((await run.result()).stopReason).toBe('stopped');
    }
  });
});
