import { describe, expect, test } from '@jest/globals';
import {
  type ConversationView,
  emptyConversation,
} from '../../../examples/vscode/src/run/conversation-view.js';
import { beginTask, showRun } from '../../../examples/vscode/src/run/show-run.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { reduceRun } from '../../../src/sdk/view/reduce-run.js';
import { emptyRun } from '../../../src/sdk/view/run-view.js';
import { command, done, finish, lookUp, lookUpCall, recordingTool } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

/** Returns every page of a conversation, given the events of its tasks. */
function pagesOf(...tasks: readonly (readonly RunEvent[])[]): ConversationView[] {
  const pages = [emptyConversation];
  let run = emptyRun();
  for (const [index, events] of tasks.entries()) {
    pages.push(beginTask(pages.at(-1) ?? emptyConversation, `task ${index + 1}`));
    for (const event of events) {
      run = reduceRun(run, event);
      pages.push(showRun(pages.at(-1) ?? emptyConversation, event, run));
    }
  }
  return pages;
}
const lastOf = (pages: readonly ConversationView[]) => pages.at(-1) ?? emptyConversation;
const eventsOf = async (script: readonly Script[], options?: Partial<RunOptions>) =>
  (await finish(script, options)).events;
const activities = (pages: readonly ConversationView[]) => [
  ...new Set(pages.map(({ activity }) => activity)),
];
const { tool } = recordingTool();

describe('the conversation in the extension (rule: run-view)', () => {
  test('the extension shows a task on its first step and numbers steps across tasks', async () => {
    const { steps, status } = lastOf(pagesOf(await eventsOf([lookUpCall(), done]), await eventsOf([done])));
    expect(steps.map(({ number, task }) => [number, task])).toEqual([
      [1, 'task 1'],
      [2, null],
      [3, 'task 2'],
    ]);
    expect(status).toBe('ended');
  });

  test('the extension sums tokens over all tasks', async () => {
    const events = await eventsOf([done]);
    const [one, two] = [lastOf(pagesOf(events)), lastOf(pagesOf(events, events))];
    expect(two.usage.input).toBe(2 * one.usage.input);
  });

  test('the extension shows a call with arguments, a short hint, state and result', async () => {
    const [step] = lastOf(pagesOf(await eventsOf([lookUpCall(), done]))).steps;
    expect(step?.actions).toEqual([
      {
        id: expect.any(String),
        tool: 'look_up',
        args: '{\n  "key": "price"\n}',
        brief: 'price',
        state: 'done',
        result: 'price is 42',
      },
    ]);
  });

  test('the activity that the extension shows names what the run does and is empty at its end', async () => {
    const approve = async () => ({ type: 'allow' as const });
    const events = await eventsOf([command('ls'), done], { tools: [tool], approve });
    expect(activities(pagesOf(events))).toEqual([
      '',
      'Starting',
      'Thinking',
      'run_command waits for you',
      'Running run_command',
      'Writing',
    ]);
  });

  test('the extension shows a retry as a note on its step, and as activity until the model answers', async () => {
    const failing: Script = { error: 'upstream_overloaded', retryAfterMs: 1 };
    const pages = pagesOf(await eventsOf([failing, done], { retries: 1 }));
    expect(activities(pages)).toEqual(['', 'Starting', 'Thinking', 'Trying again', 'Writing']);
    expect(lastOf(pages).steps[0]?.remarks).toEqual([expect.stringMatching(/Retrying in 1 s\.$/)]);
  });

  test('the extension shows a compaction as a note on the step that requested it', async () => {
    const compact: Script = { call: { name: 'compact_context', args: {} } };
    const events = await eventsOf([compact, done], { compaction: { strategy: 'mask' } });
    const { steps } = lastOf(pagesOf(events));
    expect(steps.map(({ remarks }) => remarks)).toEqual([
      [expect.stringMatching(/^The history was shortened from \d+ to \d+ tokens\.$/)],
      [],
    ]);
  });

  test('the extension marks a call that did not run before the end', async () => {
    const approve = async () => ({ type: 'stop' as const });
    const events = await eventsOf([lookUpCall(), command('ls')], { tools: [lookUp, tool], approve });
    const { steps, end } = lastOf(pagesOf(events));
    expect(steps[1]?.actions).toMatchObject([{ state: 'not run', result: '' }]);
    expect(end?.reason).toBe('stopped');
  });

  test('the extension reuses the same object for a finished step once the next one has begun', async () => {
    const pages = pagesOf(await eventsOf([lookUpCall(), lookUpCall('b'), done]));
    const first = pages.findIndex(({ steps }) => steps.length === 2);
    expect(new Set(pages.slice(first).map(({ steps }) => steps[0])).size).toBe(1);
  });

  test('the extension cuts texts of more than 60,000 characters for its view', async () => {
    const { steps } = lastOf(pagesOf(await eventsOf([{ answer: 'a'.repeat(60_001) }])));
    expect(steps[0]?.answer).toBe(`${'a'.repeat(60_000)}\n… (cut for the view)`);
  });
});
