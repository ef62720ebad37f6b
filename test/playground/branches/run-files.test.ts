import { describe, expect, test } from '@jest/globals';
import { runFile, runFileName } from '../../../src/playground/branches/files/export-run.js';
import { RunRefused, readRunFile } from '../../../src/playground/branches/files/read-run-file.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { done, finish, key, lookUpCall } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

async function saved(script: readonly Script[]) {
  const { run } = await finish(script);
  return run.save();
}

const token = 'swt-canary-"quoted\\token"';

describe('the exported file of a run (rule: playground-branches)', () => {
  test('the SDK reads an exported run and replays it to the same end', async () => {
    const run = await saved([lookUpCall(), done]);
    const read = readTrajectory(runFile(run, [key, token]));
    expect(read).toEqual(JSON.parse(JSON.stringify(run)));
    expect((await replayRun(read).result()).answer).toBe('It is 42.');
  });

  test('an exported run contains neither key nor token, wherever they were written', async () => {
    const run = await saved([
      { thought: `The key is ${key}.`, call: { name: 'look_up', args: { key: `${key} ${token}` } } },
      done,
    ]);
    const json = runFile({ ...run, task: `Use ${key}` }, [` ${key}`, token]);
    expect(json).not.toContain('canary');
    expect((await replayRun(readTrajectory(json)).result()).stopReason).toBe('answered');
  });

  test('an exported run keeps words that equal a secret of fewer than eight characters', async () => {
    const run = await saved([done]);
    expect(readTrajectory(runFile(run, ['', 'It'])).responses[0]?.direct_response).toBe('It is 42.');
  });

  test.each([
    ['How is the discount calculated?', 'stepwise-how-is-the-discount-calculated.json'],
    ['../../etc/passwd', 'stepwise-etc-passwd.json'],
    ['', 'stepwise-run.json'],
    ['\u202Egnp.exe', 'stepwise-gnp-exe.json'],
  ])('the file of a run with the task %j is named %s', (task, name) => {
    expect(runFileName({ task }, ['', 'is'])).toBe(name);
  });

  test('the file name of an exported run contains no key', () => {
    const name = runFileName({ task: `Use ${key} and ${token} here` }, [` ${key}`, token]);
    expect(name).toBe('stepwise-use-key-and-key-here.json');
  });
});

describe('opening a run file (rule: playground-branches)', () => {
  test('opening a run file shows the run', async () => {
    const run = await saved([lookUpCall(), done]);
    const { view } = await readRunFile(new Blob([JSON.stringify(run)]));
    expect(view.steps).toHaveLength(2);
    expect(view.result?.answer).toBe('It is 42.');
  });

  const refusals: readonly [string, () => Promise<Pick<Blob, 'size' | 'text'>>, RegExp][] = [
    ['is no JSON', async () => new Blob(['{"format":"stepwise-run",']), /JSON/],
    ['is something else', async () => new Blob(['{"lockfileVersion":3}']), /not a saved run/],
    [
      'is a picture',
      async () => new Blob([new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 255])]),
      /JSON/,
    ],
    ['is nested without end', async () => new Blob(['['.repeat(200_000)]), /JSON/],
    [
      'is too large, and is not even read',
      async () => ({ size: 100 * 1024 * 1024, text: () => Promise.reject(new Error('read')) }),
      /100 MB/,
    ],
    [
      'is gone before it is read',
      async () => ({ size: 9, text: () => Promise.reject(new Error('gone')) }),
      /could not read/,
    ],
    [
      'has more steps than a page can show',
      async () => {
        const run = await saved([done]);
        return new Blob([
          JSON.stringify({ ...run, responses: Array.from({ length: 1_001 }, () => run.responses[0]) }),
        ]);
      },
      /1,001 model calls/,
    ],
    [
      'has options that no run can have',
      async () =>
        new Blob([
          JSON.stringify({
            ...(await saved([done])),
            options: { llmConfig: { modelName: 'm' }, maxSteps: -1 },
          }),
        ]),
      /maxSteps/,
    ],
  ];
  test.each(refusals)('a run file that %s is refused with a message of one line', async (_, file, words) => {
    const refusal = await readRunFile(await file()).then(
      () => null,
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(RunRefused);
    const { message } = refusal as RunRefused; // cast: checked in the line above
    expect(message).toMatch(words);
    expect(message.split('\n')).toHaveLength(1);
  });
});
