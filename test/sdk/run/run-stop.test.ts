import { describe, expect, test } from '@jest/globals';
import { turnSchema } from '../../../src/contract/history.js';
import { callsOf, readUnits } from '../../../src/conversation/units.js';
import { defineTool } from '../../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import { readTrajectory, resumeOptions } from '../../../src/sdk/saved/read-trajectory.js';
import {
  command,
  done,
  finish,
  llmConfig,
  lookUp,
  lookUpCall,
  readAll,
  recordingTool,
  start,
  task,
} from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

describe('stopping a run (rule: one-signal)', () => {
  test('a run stopped at any event leaves a valid and complete history that another run can continue', async () => {
    const script = [
      lookUpCall('a'),
      { ...lookUpCall('b'), more: [{ name: 'look_up', args: { key: 'c' } }] },
      done,
    ];
    const { events } = await finish(script);
    for (let stopAt = 1; stopAt < events.length; stopAt++) {
      const { run } = await start(script);
      let seen = 0;
      for await (const _ of run) if (++seen === stopAt) run.stop();
      const { history, stopReason } = await run.result();
      expect(stopReason).toBe('stopped');
      for (const turn of history) expect(turnSchema.safeParse(turn).success).toBe(true);
      expect(openCalls(history)).toEqual([]);
      expect(history.filter(({ role }) => role === 'user')).toEqual([{ role: 'user', content: task }]);
      const resumed = await finish([done], { history });
      expect(resumed.result.stopReason).toBe('answered');
    }
  }, 30_000);

  test('stopping a run aborts its model call', async () => {
    const { run, service } = await start([{ fault: 'silence' }]);
    const stopWhenCalled = setInterval(() => service.requests.length > 0 && run.stop(), 5);
    const types = (await readAll(run)).map(({ type }) => type);
    clearInterval(stopWhenCalled);
    const saved = readTrajectory(JSON.stringify(run.save()));
    expect(saved.history).toEqual([{ role: 'user', content: task }]);
    const again = await finish([done], resumeOptions(saved));
    expect(again.result.history.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(types).toEqual(['agent_start', 'agent_turn_start', 'agent_stopped']);
    expect(service.requests).toHaveLength(1);
  });

  test('repeating the task after a run that failed in its first call adds it to the history only once', async () => {
    const { service, run } = await start([{ error: 'upstream_refusal' }, done], {
      history: [{ role: 'user', content: task }],
    });
    const { history } = await new StepwiseClient({ baseUrl: service.url })
      .run(task, { llmConfig, history: (await run.result()).history, signal: AbortSignal.abort() })
      .result();
    expect(history).toEqual([{ role: 'user', content: task }]);
  });

  test("the caller's signal stops a run before it begins", async () => {
    const { result } = await finish([done], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ stopReason: 'stopped', history: [{ role: 'user', content: task }] });
  });

  test('stopping a run aborts the running tool and adds an observation for it', async () => {
    const controller = new AbortController();
    const waiting = defineTool({
      name: 'look_up',
      description: '',
      inputSchema: { type: 'object', properties: {} },
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          controller.abort();
        }),
    });
    const { result } = await finish([{ call: { name: 'look_up' } }], {
      tools: [waiting],
      signal: controller.signal,
    });
    expect(result.stopReason).toBe('stopped');
    expect(result.history.at(-1)).toMatchObject({ content: 'Interrupted before it was done.' });
  });

  test('a stopped run does not wait for a pending approval, preview or answer', async () => {
    let stop = () => {};
    const never = () => {
      setImmediate(() => stop());
      return new Promise<never>(() => undefined);
    };
    const { tool } = recordingTool();
    const asking = { call: { name: 'request_input', args: { question: 'Q' } } };
    const cases: [Script, Partial<RunOptions>][] = [
      [command('ls'), { tools: [tool], approve: never }],
      [command('ls'), { tools: [{ ...tool, preview: never }], approve: never }],
      [asking, { onInputRequest: never }],
    ];
    for (const [script, options] of cases) {
      const { run } = await start([script], options);
      stop = () => run.stop();
      const { stopReason, history } = await run.result();
      expect(stopReason).toBe('stopped');
      expect(openCalls(history)).toEqual([]);
    }
  }, 20_000);
});

describe('a run saved during a step (rule: saved-runs)', () => {
  const { tool } = recordingTool();
  const two = {
    ...command('deploy'),
    more: [
      { name: 'look_up', args: { key: 'a' } },
      { name: 'run_command', args: { command: 'tag' }, requiresApproval: true },
    ],
  };

  /** Saves the run at an event; returns the observation of each call in the saved run. */
  async function savedAt(script: Script, isWanted: (event: RunEvent) => boolean) {
    const { run } = await start([script], {
      tools: [tool, lookUp],
      approve: async () => ({ type: 'allow' }),
    });
    for await (const event of run) {
      if (!isWanted(event)) continue;
      const { history } = readTrajectory(JSON.stringify(run.save()));
      for (const turn of history) expect(turnSchema.safeParse(turn).success).toBe(true);
      const known = callsOf(readUnits(history)).map(({ observation }) => observation?.text);
      return { known, history };
    }
    throw new Error('There was no such event.');
  }

  const starts = (name: string) => {
    let seen = 0;
    return (nth: number) => (event: RunEvent) =>
      event.type === 'tool_start' && event.toolName === name && ++seen === nth;
  };

  test('a saved run marks a started call as unknown, keeps the outcome of ended calls, and has none for the rest', async () => {
    const unknown = expect.stringContaining('its outcome is unknown');
    const first = await savedAt(two, starts('run_command')(1));
    expect(first.known).toEqual([unknown, undefined, undefined]);
    const second = await savedAt(two, starts('run_command')(2));
    expect(second.known).toEqual(['ran deploy', 'a is 42', unknown]);
    const resumed = await finish([done], { history: second.history });
    expect(resumed.result.stopReason).toBe('answered');
    expect(resumed.service.requests[0]?.conversation_history).toEqual(second.history);
  });

  test('a saved run has no observation for a running read-only call or for a call that waits for approval', async () => {
    expect((await savedAt(lookUpCall(), starts('look_up')(1))).known).toEqual([undefined]);
    const asked = await savedAt(two, ({ type }) => type === 'approval_requested');
    expect(asked.known).toEqual([undefined, undefined, undefined]);
  });

  test('a saved run keeps an unanswered question open for the next task', async () => {
    const asking = { call: { name: 'request_input', args: { question: 'Which?' } } };
    const { history } = await savedAt(asking, starts('request_input')(1));
    expect(openCalls(history).map(({ name }) => name)).toEqual(['request_input']);
  });
});
