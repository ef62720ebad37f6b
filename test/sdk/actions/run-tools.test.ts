import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { defineTool } from '../../../src/sdk/actions/define-tool.js';
import { SecurityViolation, TerminalToolError } from '../../../src/sdk/actions/tool-errors.js';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import { done, finish, lookUp, lookUpCall, start } from '../../support/run-harness.js';

describe('tools of a run (rule: tool-definitions)', () => {
  const failing = (execute: () => unknown) =>
    defineTool({
      name: 'look_up',
      description: '',
      inputSchema: { type: 'object', properties: {} },
      execute,
    });
  const observationOf = async (execute: () => unknown, options = {}) => {
    const { result, events } = await finish([{ call: { name: 'look_up' } }, done], {
      tools: [failing(execute)],
      ...options,
    });
    return { turn: result.history.find(({ role }) => role === 'tool_observation'), result, events };
  };

  test('an exception of a tool becomes an observation, and the run continues', async () => {
    const { turn, result, events } = await observationOf(() => {
      throw new Error('No such shelf.');
    });
    expect(turn).toMatchObject({ content: 'No such shelf.', toolResult: { success: false } });
    expect(result.stopReason).toBe('answered');
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_error', denied: false, terminal: false }),
    );
  });

  test.each([
    [undefined, 'It failed without a message.'],
    ['', 'It failed without a message.'],
    [new Error(), 'It failed without a message.'],
    [new RangeError(), 'It failed without a message (RangeError).'],
    [
      Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }),
      'It failed without a message (AggregateError, ECONNREFUSED).',
    ],
    [null, 'null'],
    [{ code: 7 }, '{"code":7}'],
  ])('a tool that throws %j fails, and the observation never says that it is done', async (thrown, content) => {
    const { turn } = await observationOf(() => {
      throw thrown;
    });
    expect(turn).toMatchObject({ content, toolResult: { success: false } });
  });

  test.each([
    [{ success: false, error: 'No such shelf.' }, 'No such shelf.'],
    [{ success: false, error: new Error('Broken.') }, 'Broken.'],
    [{ success: false, code: 7 }, '{"success":false,"code":7}'],
  ])('the tool result %j counts as a failure', async (returned, content) => {
    const { turn, result, events } = await observationOf(() => returned);
    expect(turn).toMatchObject({ content, toolResult: { success: false } });
    expect(events.map(({ type }) => type)).toContain('tool_error');
    expect(result.steps[0]?.actions[0]?.success).toBe(false);
  });

  test('a tool result { success: true } becomes an observation unchanged', async () => {
    const { turn } = await observationOf(() => ({ success: true, rows: 2 }));
    expect(turn).toMatchObject({ content: '{"success":true,"rows":2}', toolResult: { success: true } });
  });

  test.each([
    ['undefined', undefined, 'Done.'],
    ['null', null, 'null'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    ['a big integer', { n: 10n }, '{"n":"10"}'],
    ['a function', () => 1, '() => 1'],
  ])('a tool result of %s becomes a text', async (_, result, shown) => {
    expect((await observationOf(() => result)).turn?.content).toBe(shown);
  });

  test('a cyclic tool result is written up to the first repetition', async () => {
    const shelf: Record<string, unknown> = { name: 'shelf' };
    shelf['self'] = { inside: shelf };
    expect((await observationOf(() => shelf)).turn?.content).toBe(
      '{"name":"shelf","self":{"inside":"(the same object again)"}}',
    );
  });

  test('a tool result that throws when it is serialized becomes an observation', async () => {
    const bad = {
      toJSON: () => {
        throw new Error('no');
      },
    };
    expect((await observationOf(() => bad)).turn?.content).toContain('cannot be shown');
  });

  test('a tool result of 50 MB is cut to its beginning and end', async () => {
    const { turn } = await observationOf(() => `begin${'x'.repeat(50_000_000)}end`);
    expect(turn?.content.length).toBeLessThan(101_000);
    expect(turn?.content).toMatch(/^begin.*showing 100000 of 50000008 characters.*end$/s);
  });

  test('a run stops waiting for a tool that hangs', async () => {
    const { turn, result } = await observationOf(() => new Promise(() => undefined), { toolTimeoutMs: 30 });
    expect(turn?.content).toContain('Given up after 30 ms');
    expect(result.stopReason).toBe('answered');
  }, 10_000);

  test('a run continues after two security violations and ends at the third (rule: tool-pack)', async () => {
    const tools = [
      failing(() => {
        throw new SecurityViolation('Outside.');
      }),
    ];
    const call = { call: { name: 'look_up' } };
    const twice = await finish([call, call, done], { tools });
    expect(twice.result).toMatchObject({ stopReason: 'answered', terminationReason: null });
    const thrice = await finish([call, call, call, done], { tools });
    expect(thrice.result).toMatchObject({ stopReason: 'error', terminationReason: 'SECURITY_VIOLATION' });
  });

  test('a TerminalToolError ends the run without another model call', async () => {
    const { result, events, turn } = await observationOf(() => {
      throw new TerminalToolError('SECURITY_VIOLATION', 'Outside the project.');
    });
    expect(result).toMatchObject({
      stopReason: 'error',
      terminationReason: 'SECURITY_VIOLATION',
      error: { code: 'security_violation', message: 'Outside the project.' },
    });
    expect(turn).toMatchObject({ toolResult: { success: false, terminal: true } });
    expect(events.map(({ type }) => type).slice(-3)).toEqual([
      'agent_observe',
      'agent_error',
      'agent_stopped',
    ]);
  });

  test('a tool is never called with arguments that violate its schema', async () => {
    const { result } = await finish([{ call: { name: 'look_up', args: { key: 7 } } }, done]);
    expect(result.history[2]?.content).toBe('The argument "key" must be of type string.');
  });

  test('read-only actions of one step run in parallel, other actions in order', async () => {
    const log: string[] = [];
    const tool = (name: string, readOnlyHint: boolean) =>
      defineTool({
        name,
        description: '',
        inputSchema: { type: 'object', properties: {} },
        annotations: { readOnlyHint },
        execute: async () => {
          log.push(`${name} begins`);
          await nextTurn();
          log.push(`${name} ends`);
        },
      });
    const [first, ...more] = ['read_a', 'read_b', 'write_a', 'write_b'].map((name) => ({ name }));
    await finish([{ call: first ?? { name: '' }, more }, done], {
      tools: [tool('read_a', true), tool('read_b', true), tool('write_a', false), tool('write_b', false)],
    });
    expect(log.slice(0, 2)).toEqual(['read_a begins', 'read_b begins']);
    expect(log.slice(4)).toEqual(['write_a begins', 'write_a ends', 'write_b begins', 'write_b ends']);
  });

  test('client.run throws for two tools of the same name, and names it', async () => {
    await expect(start([done], { tools: [lookUp, lookUp] })).rejects.toThrow(
      'Two tools have the same name, "look_up": rename yours',
    );
  });

  test('the reason of a guard that refuses a call becomes the observation', async () => {
    const { result } = await finish([lookUpCall('secret'), lookUpCall('price'), done], {
      guards: [
        ({ tool_args }) =>
          tool_args['key'] === 'secret' ? { type: 'refuse', reason: 'Not that.' } : undefined,
      ],
    });
    const seen = result.history.filter(({ role }) => role === 'tool_observation');
    expect(seen.map(({ content }) => content)).toEqual(['Not that.', 'price is 42']);
    expect(seen[0]?.toolResult).toEqual({ success: false });
  });

  test('a guard that throws ends the run with an error and keeps the history', async () => {
    const { result } = await finish([lookUpCall()], {
      guards: [
        () => {
          throw new Error('broken guard');
        },
      ],
    });
    expect(result).toMatchObject({ stopReason: 'error', error: { message: 'guards threw: broken guard' } });
    expect(openCalls(result.history)).toEqual([]);
  });
});
