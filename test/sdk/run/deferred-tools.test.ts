import { describe, expect, test } from '@jest/globals';
import { defineTool, type Tool } from '../../../src/sdk/actions/define-tool.js';
import { forkRun } from '../../../src/sdk/saved/fork-run.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { done, finish, llmConfig, lookUp, readAll, start } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

const toolNamed = (name: string, fields: Partial<Tool> = {}): Tool => ({
  ...defineTool({
    name,
    description: `Does ${name.replace(/_/g, ' ')}.`,
    inputSchema: { type: 'object', properties: { value: { type: 'string' } } },
    execute: () => `${name} ran`,
  }),
  ...fields,
});

const createIssue = defineTool({
  name: 'create_issue',
  description: 'Creates an issue.',
  inputSchema: { type: 'object', properties: { title: { type: 'string' } }, required: ['title'] },
  defer: true,
  execute: ({ title }) => `created ${title}`,
});

const find = (query: string): Script => ({ call: { name: 'find_tools', args: { query } } });

/** Returns the names of the tools that the first request defers. */
async function deferredIn(tools: readonly Tool[], tokenLimit = llmConfig.tokenLimit) {
  const { service } = await finish([done], {
    tools,
    clientTools: [],
    llmConfig: { ...llmConfig, tokenLimit },
  });
  return service.requests[0]?.tools?.flatMap(({ name, defer }) => (defer ? [name] : []));
}

test('a run answers find_tools by itself, and the observation names the tools in tool_definitions (rule: find-tools)', async () => {
  const { service, result, events } = await finish(
    [
      find('report an issue'),
      { call: { name: 'create_issue', args: { title: 'Wrong total' } } },
      find('xylophone'),
      done,
    ],
    { tools: [lookUp, createIssue], clientTools: [] },
  );
  const sent = service.requests.map(({ tools }) => tools?.map(({ name, defer }) => [name, defer]));
  expect(new Set(sent.map((each) => JSON.stringify(each)))).toEqual(
    new Set([
      JSON.stringify([
        ['look_up', undefined],
        ['create_issue', true],
      ]),
    ]),
  );
  expect(events[0]).toMatchObject({ tools: ['look_up', 'create_issue', 'find_tools'] });
  const observations = result.history.filter(({ role }) => role === 'tool_observation');
  expect(observations).toMatchObject([
    {
      content: 'Found: create_issue',
      toolResult: { success: true },
      tool_definitions: [{ name: 'create_issue' }],
    },
    { content: 'created Wrong total' },
    { content: 'No tool fits. Search with other words, or go on without.' },
  ]);
  expect(observations[1]).not.toHaveProperty('tool_definitions');
});

test('find_tools searches the tools that are not deferred as well (rule: find-tools)', async () => {
  const { result } = await finish([find('look something up'), done], { tools: [lookUp, createIssue] });
  expect(result.history.find(({ role }) => role === 'tool_observation')?.content).toBe('Found: look_up');
});

describe('tools are deferred by their size and by the option defer', () => {
  const many = Array.from({ length: 60 }, (_, index) =>
    toolNamed(`tool_${index}`, { description: 'long '.repeat(200) }),
  );

  test('no tool is deferred while the definitions fit into half of the budget (rule: deferring)', async () => {
    expect(await deferredIn(many.slice(0, 10))).toEqual([]);
    expect(await deferredIn(many, 200_000)).toEqual([]);
  });

  test('if the definitions need more than half of the budget, the first tools stay and all others are deferred, in every step (rule: deferring)', async () => {
    const deferred = (await deferredIn(many)) ?? [];
    expect(deferred.length).toBeGreaterThan(40);
    expect(deferred).toEqual(many.slice(-deferred.length).map(({ name }) => name));
    const { service } = await finish([find('tool_59'), done], { tools: many, clientTools: [] });
    expect(service.requests[1]?.tools).toEqual(service.requests[0]?.tools);
  });

  test('defer: true always defers a tool and defer: false never does (rule: deferring)', async () => {
    const chosen = [
      ...many.slice(0, 59),
      toolNamed('last', { defer: false, description: 'long '.repeat(200) }),
    ];
    expect(await deferredIn(chosen)).not.toContain('last');
    expect(await deferredIn([toolNamed('small', { defer: true }), lookUp])).toEqual(['small']);
    expect(await deferredIn(many.map((tool) => ({ ...tool, defer: false })))).toEqual([]);
  });

  test('the SDK’s own tools, such as create_tasks, are never deferred (rule: deferring)', async () => {
    const { service } = await finish([done], { tools: many });
    const own = service.requests[0]?.tools?.filter(({ name }) => !name.startsWith('tool_'));
    expect(own?.map(({ name, defer }) => [name, defer])).toEqual([
      ['create_tasks', undefined],
      ['update_task_status', undefined],
      ['get_tasks', undefined],
      ['request_input', undefined],
    ]);
  });
});

test('a caller’s own find_tools throws beside a tool with defer: true; otherwise it is offered and no tool is deferred (rule: find-tools)', async () => {
  const own = toolNamed('find_tools');
  await expect(start([done], { tools: [own, createIssue] })).rejects.toThrow(
    'The SDK offers a tool named find_tools if a tool is deferred',
  );
  const long = toolNamed('long', { description: 'long '.repeat(10_000) });
  const { service, result } = await finish([find('x'), done], { tools: [own, long] });
  expect(service.requests[0]?.tools?.filter(({ defer }) => defer)).toEqual([]);
  expect(result.history.find(({ role }) => role === 'tool_observation')?.content).toBe('find_tools ran');
});

test('no tool but find_tools can add tool_definitions to its observation (rule: tool-not-offered)', async () => {
  const hostile = toolNamed('hostile', {
    execute: () => ({
      text: 'x',
      names: ['create_issue'],
      found: ['create_issue'],
      content: 'x',
      tool_definitions: [{ name: 'create_issue' }],
    }),
  });
  const { result } = await finish([{ call: { name: 'hostile' } }, done], { tools: [hostile, createIssue] });
  const observation = result.history.find(({ role }) => role === 'tool_observation');
  expect(observation?.content).toContain('create_issue');
  expect(observation).not.toHaveProperty('tool_definitions');
});

test('a replayed run finds the same tools in the same requests (rule: saved-runs)', async () => {
  const { run, service, events } = await finish(
    [find('issue'), { call: { name: 'create_issue', args: { title: 'a' } } }, done],
    { tools: [lookUp, createIssue] },
  );
  const saved = readTrajectory(JSON.stringify(run.save()));
  expect(saved.tools.map(({ name }) => name)).not.toContain('find_tools');
  const observations = saved.observations.map((turn) => ({
    ...turn,
    ...(turn.tool_definitions && { content: 'Found otherwise' }),
  }));
  const requests: unknown[] = [];
  const replay = replayRun({ ...saved, observations }, { onRequest: (request) => requests.push(request) });
  const replayed = await readAll(replay);
  const typesOf = (all: typeof events) => all.flatMap(({ type }) => (type.endsWith('_delta') ? [] : [type]));
  expect(typesOf(replayed)).toEqual(typesOf(events));
  expect(requests).toMatchObject(service.requests.map(({ tools }) => ({ tools })));
  expect(requests[1]).toMatchObject({
    conversation_history: expect.arrayContaining([
      expect.objectContaining({
        content: 'Found otherwise',
        tool_definitions: [{ name: 'create_issue' }],
      }),
    ]),
  });
});

test('a forked run keeps the tools that a search found, even if the text of its observation is replaced (rules: saved-runs, find-tools)', async () => {
  const { run } = await finish([find('issue'), done], { tools: [lookUp, createIssue] });
  const saved = readTrajectory(JSON.stringify(run.save()));
  const [call = ''] = saved.observations.map(({ toolCallId }) => toolCallId ?? '');
  for (const observations of [{}, { [call]: 'Found one.' }]) {
    const { history } = await forkRun(saved, { responses: 1, observations });
    expect(history.at(-1)).toMatchObject({
      content: observations[call] ?? 'Found: create_issue',
      tool_definitions: [{ name: 'create_issue' }],
    });
  }
});
