import { expect, test } from '@jest/globals';
import { defineTool, type Tool } from '../../../src/sdk/actions/define-tool.js';
import { done, finish, lookUp, lookUpCall } from '../../support/run-harness.js';

const other = defineTool({
  name: 'other',
  description: 'Another tool.',
  inputSchema: { type: 'object', properties: {} },
  execute: () => 'done',
});

test('if the option tools is a function, a run calls it at its start and before each step (rule: run-options)', async () => {
  const changing: Tool = { ...lookUp, execute: () => offered.push(other) };
  const offered = [changing];
  const { events, service } = await finish([lookUpCall(), done], {
    clientTools: [],
    tools: async () => [...offered],
  });
  expect(events[0]).toMatchObject({ type: 'agent_start', tools: ['look_up'] });
  const sent = service.requests.map(({ tools }) => tools?.map(({ name }) => name));
  expect(sent).toEqual([['look_up'], ['look_up', 'other']]);
});

test('if the option tools is a function that throws, the run ends with an error after `agent_start` (rule: run-events)', async () => {
  const { types, result } = await finish([done], {
    tools: async () => {
      throw new Error('No tools today.');
    },
  });
  expect([types[0], types.at(-1), result.stopReason]).toEqual(['agent_start', 'agent_stopped', 'error']);
  expect(result.error?.message).toContain('No tools today.');
});
