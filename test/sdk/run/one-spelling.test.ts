import { expect, test } from '@jest/globals';
import { command, done, finish, lookUp, lookUpCall, recordingTool } from '../../support/run-harness.js';

const isCamelCase = (name: string): boolean => /^[a-z]+([A-Z][a-z]*)*$/.test(name);
const namesOf = (value: object): string[] => Object.keys(value);

test('fields of events, results, records of steps and saved runs are camelCase (rule: one-spelling)', async () => {
  const { tool } = recordingTool();
  const { events, result, run } = await finish(
    [
      lookUpCall(),
      command('npm test'),
      { call: { name: 'request_input', args: { question: 'Which?' } } },
      { error: 'overloaded', retryAfterMs: 1 },
      done,
    ],
    {
      tools: [lookUp, tool],
      approve: async () => ({ type: 'allow' }),
      onInputRequest: async () => 'the first',
    },
  );
  const { history, usage, ...own } = result;
  const names = [
    ...events.flatMap(namesOf),
    ...namesOf(own),
    ...result.steps.flatMap((step) => [...namesOf(step), ...step.actions.flatMap(namesOf)]),
    ...namesOf(run.save()),
  ];
  expect(new Set(events.map(({ type }) => type)).size).toBeGreaterThan(8);
  expect(names.filter((name) => !isCamelCase(name))).toEqual([]);
});
