import { describe, expect, test } from '@jest/globals';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  isAllowed,
  proposeRules,
} from '../../../src/sdk/actions/approval.js';
import { openCalls } from '../../../src/sdk/history/take-up-history.js';
import { command, done, finish, lookUp, recordingTool } from '../../support/run-harness.js';

describe('approval in two phases (rule: approval)', () => {
  /** Runs two commands in one step and decides about each in turn. */
  async function decide(...decisions: ApprovalDecision[]) {
    const { tool, calls } = recordingTool();
    const asked: ApprovalRequest[] = [];
    const ranWhenAsked: number[] = [];
    const second = { name: 'run_command', args: { command: 'npm run build' }, requiresApproval: true };
    const first = command('npm run test');
    const finished = await finish([{ ...first, more: [second] } as typeof first, done], {
      tools: [tool],
      approve: async (request) => {
        asked.push(request);
        ranWhenAsked.push(calls.length);
        return decisions[asked.length - 1] ?? { type: 'allow' };
      },
    });
    const observations = finished.result.history.filter(({ role }) => role === 'tool_observation');
    return { ...finished, asked, calls, ranWhenAsked, observations };
  }

  test('everything is asked, with a preview, before anything runs', async () => {
    const { asked, ranWhenAsked, calls, types } = await decide();
    expect(asked.map(({ preview }) => preview)).toEqual(['$ npm run test', '$ npm run build']);
    expect(ranWhenAsked).toEqual([0, 0]);
    expect(calls).toEqual(['npm run test', 'npm run build']);
    expect(types.indexOf('tool_start')).toBeGreaterThan(types.lastIndexOf('approval_requested'));
  });

  test('deny: the reason is the observation, marked as denied, and the other call runs', async () => {
    const { calls, observations, result } = await decide({ type: 'deny', reason: 'Too slow.' });
    expect(calls).toEqual(['npm run build']);
    expect(observations[0]).toMatchObject({
      content: 'Too slow.',
      toolResult: { success: false, denied: true },
    });
    expect(result.stop_reason).toBe('denied');
  });

  test('a run that went on after a denial is answered, not denied', async () => {
    const { tool } = recordingTool();
    const { result } = await finish(
      [command('rm x'), { call: { name: 'look_up', args: { key: 'a' } } }, done],
      {
        tools: [tool, lookUp],
        approve: async () => ({ type: 'deny', reason: '' }),
      },
    );
    expect(result.stop_reason).toBe('answered');
    expect(result.history[2]?.content).toBe('The user said no.');
  });

  test('edit: what the person wrote runs, and the model is told', async () => {
    const { calls, observations, events } = await decide({
      type: 'edit',
      args: { command: 'npm test -- fast' },
    });
    expect(calls).toEqual(['npm test -- fast', 'npm run build']);
    expect(observations[0]?.content).toBe(
      'The user changed the arguments to {"command":"npm test -- fast"}.\nran npm test -- fast',
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_start', tool_args: { command: 'npm test -- fast' } }),
    );
  });

  test('edit: arguments that do not fit are an observation and run nothing', async () => {
    const { calls, observations } = await decide({ type: 'edit', args: { command: 3 } });
    expect(calls).toEqual(['npm run build']);
    expect(observations[0]?.content).toBe('The argument "command" must be of type string.');
  });

  test('always: the rule holds for the next call already', async () => {
    const { asked, calls } = await decide({
      type: 'always',
      rule: { tool: 'run_command', command_prefix: 'npm run' },
    });
    expect(asked).toHaveLength(1);
    expect(calls).toHaveLength(2);
  });

  test('stop: nothing runs, not even what was allowed before, and the history is complete', async () => {
    const { calls, result } = await decide({ type: 'allow' }, { type: 'stop' });
    expect(calls).toEqual([]);
    expect(result.stop_reason).toBe('stopped');
    expect(openCalls(result.history)).toEqual([]);
  });

  test('with nobody to ask, what needs approval is denied', async () => {
    const { tool, calls } = recordingTool();
    const { result } = await finish([command('npm test'), done], { tools: [tool] });
    expect(calls).toEqual([]);
    expect(result.stop_reason).toBe('denied');
  });

  test("the tool's own wish counts, whatever the service says", async () => {
    const { tool, calls } = recordingTool();
    const call = { name: 'run_command', args: { command: 'ls' }, requiresApproval: false };
    await finish([{ call }, done], { tools: [tool] });
    expect(calls).toEqual([]);
  });

  test('a guard can ask for a person where the tool does not', async () => {
    const { result } = await finish([{ call: { name: 'look_up', args: { key: 'a' } } }, done], {
      guards: [() => ({ type: 'ask' })],
    });
    expect(result.stop_reason).toBe('denied');
  });
});

describe('rules (rule: always-rules)', () => {
  const action = (text: string) => ({
    tool_name: 'run_command',
    tool_args: { command: text },
    raw_action_string: '',
    id: 'call_1',
    requires_approval: true,
  });
  const rule = { tool: 'run_command', command_prefix: 'npm test' };

  test.each(['npm test', ' npm  test', 'npm test -- --watch'])('`%s` begins with `npm test`', (text) => {
    expect(isAllowed(action(text), [rule])).toBe(true);
  });

  test.each([
    'npm tests',
    'npm',
    'npm test; rm -rf ~',
    'npm test && curl x',
    'npm test | sh',
    'npm test > /etc/x',
    'npm test $(id)',
    'npm test `id`',
    'npm test\nrm x',
    'npm test & rm x',
    'npm test <(id)',
    'npm test \\\nx',
  ])('`%s` is asked about: a shell would do more or other things', (text) => {
    expect(isAllowed(action(text), [rule])).toBe(false);
  });

  test('a rule for a tool says nothing about others', () => {
    expect(isAllowed(action('ls'), [{ tool: 'write_file' }])).toBe(false);
    expect(isAllowed(action('ls'), [{ tool: 'run_command' }])).toBe(true);
  });

  test.each([
    ['npm run build --if-present', 'npm run'],
    ['ls -la', 'ls'],
    ['git', 'git'],
  ])('for `%s` the prefix `%s` is offered', (text, command_prefix) => {
    expect(proposeRules(action(text))).toEqual([{ tool: 'run_command', command_prefix }]);
  });

  test('for a command that does several things no rule is offered', () => {
    expect(proposeRules(action('cd x && make'))).toEqual([]);
  });
});
