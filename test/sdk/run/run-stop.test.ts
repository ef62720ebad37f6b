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

describe('stop (rule: one-signal)', () => {
  test('at every checkpoint the history is valid, complete, and can be gone on from', async () => {
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
      const { history, stop_reason } = await run.result();
      expect(stop_reason).toBe('stopped');
      for (const turn of history) expect(turnSchema.safeParse(turn).success).toBe(true);
      expect(openCalls(history)).toEqual([]);
      expect(history.filter(({ role }) => role === 'user')).toEqual([{ role: 'user', content: task }]);
      const resumed = await finish([done], { history });
      expect(resumed.result.stop_reason).toBe('answered');
    }
  }, 30_000);

  test('the model call is aborted at once', async () => {
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

  test('a task that is given again after a stop in the first call stands in the history once', async () => {
    const { service, run } = await start([{ error: 'upstream_refusal' }, done], {
      history: [{ role: 'user', content: task }],
    });
    const { history } = await new StepwiseClient({ baseUrl: service.url })
      .run(task, { llmConfig, history: (await run.result()).history, signal: AbortSignal.abort() })
      .result();
    expect(history).toEqual([{ role: 'user', content: task }]);
  });

  test("the caller's signal stops the run, also before it began", async () => {
    const { result } = await finish([done], { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ stop_reason: 'stopped', history: [{ role: 'user', content: task }] });
  });

  test('a running tool is told, and what it leaves is an observation', async () => {
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
    expect(result.stop_reason).toBe('stopped');
    expect(result.history.at(-1)).toMatchObject({ content: 'Stopped before it was done.' });
  });

  test('nobody waits for an approval, a preview or an answer that never comes', async () => {
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
      const { stop_reason, history } = await run.result();
      expect(stop_reason).toBe('stopped');
      expect(openCalls(history)).toEqual([]);
    }
  }, 20_000);
});

describe('a run that is killed in the midst of a step (rule: saved-runs)', () => {
  const { tool } = recordingTool();
  const two = {
    ...command('deploy'),
    more: [
      { name: 'look_up', args: { key: 'a' } },
      { name: 'run_command', args: { command: 'tag' }, requiresApproval: true },
    ],
  };

  /** What the saved run says of each call at an event, by its id. */
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
      event.type === 'tool_start' && event.tool_name === name && ++seen === nth;
  };

  test('what was started is not taken for a call that never ran; what ended keeps its outcome, and the rest did not run', async () => {
    const unknown = expect.stringContaining('its outcome is unknown');
    const first = await savedAt(two, starts('run_command')(1));
    expect(first.known).toEqual([unknown, undefined, undefined]);
    const second = await savedAt(two, starts('run_command')(2));
    expect(second.known).toEqual(['ran deploy', 'a is 42', unknown]);
    const resumed = await finish([done], { history: second.history });
    expect(resumed.result.stop_reason).toBe('answered');
    expect(resumed.service.requests[0]?.conversation_history).toEqual(second.history);
  });

  test('a call that only looks, and one that waits for its approval, are left as not run', async () => {
    expect((await savedAt(lookUpCall(), starts('look_up')(1))).known).toEqual([undefined]);
    const asked = await savedAt(two, ({ type }) => type === 'approval_requested');
    expect(asked.known).toEqual([undefined, undefined, undefined]);
  });

  test('a question stays open for the next task to answer', async () => {
    const asking = { call: { name: 'request_input', args: { question: 'Which?' } } };
    const { history } = await savedAt(asking, starts('request_input')(1));
    expect(openCalls(history).map(({ name }) => name)).toEqual(['request_input']);
  });
});
