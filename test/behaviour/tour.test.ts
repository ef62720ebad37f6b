import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { toOfferedTool } from '../../src/parsing/arguments/offered-tool.js';
import { parseCompletion } from '../../src/parsing/parse-completion.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import type { RunEvent } from '../../src/sdk/run/run-events.js';
import { readTrajectory } from '../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../src/sdk/saved/replay-run.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

const read = (name: string) => readTrajectory(readFileSync(`examples/tour/${name}.json`, 'utf8'));
const change = read('change');
const followUp = read('follow-up');

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(undefined, { OFFLINE_MODEL: 'on' });
});
afterAll(() => service.close());

async function replay(saved: typeof change) {
  const events: RunEvent[] = [];
  const requests: StepRequestInput[] = [];
  const run = replayRun(saved, { onRequest: (request) => requests.push(request) });
  for await (const event of run) events.push(event);
  return { events, requests, result: await run.result() };
}

test('the shipped tour replays with an edit, approvals, a refusal, a TODO list and items that were left out', async () => {
  const { events, result } = await replay(change);
  const ofType = <Type extends RunEvent['type']>(type: Type) =>
    events.filter((event): event is Extract<RunEvent, { type: Type }> => event.type === type);
  expect(result.answer).toBe(change.result?.answer);
  expect(result.stopReason).toBe('answered');
  expect(ofType('tool_complete').map(({ toolName }) => toolName)).toContain('edit_file');
  expect(ofType('approval_requested').length).toBeGreaterThan(2);
  expect(ofType('tool_error').map(({ denied }) => denied)).toEqual([true]);
  expect(
    ofType('tasks_updated')
      .at(-1)
      ?.tasks.map(({ status }) => status),
  ).toEqual(['completed', 'completed']);
  const items = change.responses.map(({ context_report: report }) => report?.items ?? []);
  expect(items[0]).toContainEqual(expect.objectContaining({ id: 'src/server.js', status: 'truncated' }));
  expect(items[0]).toContainEqual(expect.objectContaining({ id: 'house-rules', status: 'dropped' }));
});

test('the follow-up of the shipped tour begins with the history of its first run', async () => {
  expect(followUp.beganWith).toEqual(change.history);
  expect(followUp.sessionId).toBe(change.sessionId);
  const { result } = await replay(followUp);
  expect(result.answer).toBe(followUp.result?.answer);
});

test.each([
  ['change', change],
  ['follow-up', followUp],
] as const)('a service without keys rebuilds the prompts of the shipped run %s exactly', async (_, saved) => {
  const client = new StepwiseClient({ baseUrl: service.url });
  const { requests } = await replay(saved);
  const built = await Promise.all(requests.map((request) => client.preview(request)));
  const facts = (report: (typeof saved.responses)[number]['context_report']) => [
    report?.prompt_tokens,
    report?.stable_prompt_sha256,
  ];
  expect(built.map(({ context_report }) => facts(context_report))).toEqual(
    saved.responses.map(({ context_report }) => facts(context_report)),
  );
});

test('the current parser reads the recorded arguments from each reply of the shipped tour', () => {
  const replies = [change, followUp].flatMap(({ responses, tools }) =>
    responses.map(({ completion_text: text, action_details: action }) => ({
      text: text ?? '',
      action,
      tools,
    })),
  );
  const readings = replies.map(
    ({ text, tools }) => parseCompletion(text, tools.map(toOfferedTool)).action?.toolArgs,
  );
  expect(readings).toEqual(replies.map(({ action }) => action?.tool_args));
});
