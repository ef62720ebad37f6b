import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  describeRule,
  isAllowed,
  proposeRules,
} from '../../../src/sdk/actions/approval.js';
import type { ToolArguments } from '../../../src/sdk/actions/define-tool.js';
import { TerminalToolError } from '../../../src/sdk/actions/tool-errors.js';
import { explainEnd } from '../../../src/sdk/run/run-result.js';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import {
  command,
  done,
  finish,
  lookUp,
  readShellCall,
  recordingTool,
  start,
} from '../../support/run-harness.js';

const throwNow = (thrown: unknown): never => {
  throw thrown;
};

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
        const [decision] = decisions.slice(asked.length - 1);
        // Untyped code may also return undefined, which `decisions` then contains.
        return asked.length <= decisions.length ? (decision as ApprovalDecision) : { type: 'allow' };
      },
    });
    const observations = finished.result.history.filter(({ role }) => role === 'tool_observation');
    return { ...finished, asked, calls, ranWhenAsked, observations };
  }

  test('a step asks for approval of all its calls, with previews, before any call runs', async () => {
    const { asked, ranWhenAsked, calls, types } = await decide();
    expect(asked.map(({ preview }) => preview)).toEqual(['$ npm run test', '$ npm run build']);
    expect(ranWhenAsked).toEqual([0, 0]);
    expect(calls).toEqual(['npm run test', 'npm run build']);
    expect(types.indexOf('tool_start')).toBeGreaterThan(types.lastIndexOf('approval_requested'));
  });

  test('`preview` and `approve` may return their value without a promise', async () => {
    const { tool, calls } = recordingTool();
    const previews: (string | null)[] = [];
    await finish([command('npm test'), done], {
      tools: [{ ...tool, preview: ({ command: line }) => `$ ${line}` }],
      approve: ({ preview }) => {
        previews.push(preview);
        return { type: 'allow' };
      },
    });
    expect([previews, calls]).toEqual([['$ npm test'], ['npm test']]);
  });

  test('the decision `deny` puts the reason into the observation, marks it as denied, and lets the other call run', async () => {
    const { calls, observations, result } = await decide({ type: 'deny', reason: 'Too slow.' });
    expect(calls).toEqual(['npm run build']);
    expect(observations[0]).toMatchObject({
      content: 'The user refused this call, so it was not run. Reason: Too slow.',
      toolResult: { success: false, denied: true },
    });
    expect(result.stopReason).toBe('denied');
  });

  test.each([
    { type: 'denied' },
    { type: 'no' },
    { type: 'edit' },
    { type: 'always' },
    false,
    true,
    'allow',
    null,
    undefined,
    {},
    { type: 'deny', reason: 42 },
  ])('a call does not run if `approve` returns the invalid decision %j, and the observation names the mistake (rule: approval)', async (answer) => {
    // Untyped code may return a decision that the types forbid.
    const { calls, observations, result } = await decide(
      answer as ApprovalDecision,
      answer as ApprovalDecision,
    );
    expect(calls).toEqual([]);
    expect(observations[0]).toMatchObject({ toolResult: { success: false, denied: true } });
    expect(observations[0]?.content).toMatch(
      /^Not run\. This was not approved\. approve(?:\.\w+)?: (?:this field is required: |expected )/,
    );
    expect(result.stopReason).toBe('denied');
  });

  test('a replay repeats the observation of an invalid decision unchanged (rule: saved-runs)', async () => {
    const approve = async () => false as unknown as ApprovalDecision;
    const { run } = await finish([command('ls'), done], { tools: [recordingTool().tool], approve });
    const saved = run.save();
    const replay = replayRun(saved);
    await replay.result();
    expect(saved.observations[0]?.content).toMatch(/^Not run\. This was not approved\. approve: expected/);
    expect(replay.save().observations).toEqual(saved.observations);
  });

  test.each([
    {},
    { reason: null },
    { reason: undefined },
    { reason: ' ' },
  ])('a denial with %j is a refusal without a reason (rule: approval)', async (given) => {
    const decision: ApprovalDecision = { type: 'deny', ...given };
    const { calls, observations, result } = await decide(decision, decision);
    expect(calls).toEqual([]);
    expect(observations[0]).toMatchObject({
      content: 'The user refused this call, so it was not run.',
      toolResult: { success: false, denied: true },
    });
    expect(result.stopReason).toBe('denied');
  });

  test.each([
    [new Error('no terminal'), 'approve threw: no terminal'],
    ['no terminal', 'approve threw: no terminal'],
    [undefined, 'approve threw: It failed without a message.'],
  ])('if `approve` throws %p, no call runs and the error of the run says that approve threw (rule: approval)', async (thrown, message) => {
    for (const approve of [() => Promise.reject(thrown), () => throwNow(thrown)]) {
      const { tool, calls } = recordingTool();
      const { result } = await finish([command('npm test'), done], { tools: [tool], approve });
      expect(calls).toEqual([]);
      expect(result).toMatchObject({ stopReason: 'error', error: { code: 'system_error', message } });
      expect(explainEnd(result)).toBe(`${message} (system_error)`);
      expect(openCalls(result.history)).toEqual([]);
    }
  });

  test('if `approve` throws a TerminalToolError, the run ends with the reason and the message of this error', async () => {
    const { tool } = recordingTool();
    const approve = () => throwNow(new TerminalToolError('SECURITY_VIOLATION', 'Never this.'));
    const { result } = await finish([command('npm test'), done], { tools: [tool], approve });
    expect(result).toMatchObject({
      terminationReason: 'SECURITY_VIOLATION',
      error: { message: 'Never this.' },
    });
  });

  test('a run that continues after a denial ends as `answered`, not as `denied`', async () => {
    const { tool } = recordingTool();
    const { result } = await finish(
      [command('rm x'), { call: { name: 'look_up', args: { key: 'a' } } }, done],
      {
        tools: [tool, lookUp],
        approve: async () => ({ type: 'deny', reason: '' }),
      },
    );
    expect(result.stopReason).toBe('answered');
    expect(result.history[2]?.content).toBe('The user refused this call, so it was not run.');
  });

  test('the decision `edit` runs the edited arguments and tells the model so', async () => {
    const { calls, observations, events } = await decide({
      type: 'edit',
      args: { command: 'npm test -- fast' },
    });
    expect(calls).toEqual(['npm test -- fast', 'npm run build']);
    expect(observations[0]?.content).toBe(
      'The user changed the arguments to {"command":"npm test -- fast"}.\nran npm test -- fast',
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'tool_start', toolArgs: { command: 'npm test -- fast' } }),
    );
  });

  test('the decision `edit` with invalid arguments runs nothing and reports the problem to the model', async () => {
    const { calls, observations } = await decide({ type: 'edit', args: { command: 3 } });
    expect(calls).toEqual(['npm run build']);
    expect(observations[0]?.content).toBe('The argument "command" must be of type string.');
  });

  test('after the decision `always`, the same call runs without a question; revoke() removes the rule, so the next one asks again (rule: always-rules)', async () => {
    const { tool, calls } = recordingTool();
    const asked: string[] = [];
    const { run } = await start(
      [command('npm test'), command('npm test'), command('npm test'), command('npm run build'), done],
      {
        tools: [tool],
        approve: async ({ action, rules: [rule] }) => {
          asked.push(String(action.tool_args['command']));
          return rule ? { type: 'always', rule } : { type: 'stop' };
        },
      },
    );
    for await (const { type, step } of run) {
      const [rule] = run.approvalRules;
      if (type === 'tool_complete' && step === 2 && rule) run.revoke(structuredClone(rule));
    }
    expect(asked).toEqual(['npm test', 'npm test', 'npm run build']);
    expect(calls).toHaveLength(4);
    expect(run.approvalRules).toEqual([
      { type: 'call', tool: 'run_command', args: { command: 'npm test' } },
      { type: 'call', tool: 'run_command', args: { command: 'npm run build' } },
    ]);
  });

  test('the decision `stop` runs no call, not even one approved before, and leaves a complete history', async () => {
    const { calls, result } = await decide({ type: 'allow' }, { type: 'stop' });
    expect(calls).toEqual([]);
    expect(result.stopReason).toBe('stopped');
    expect(openCalls(result.history)).toEqual([]);
  });

  test('a run without approve ends as needs_approval before a call that needs approval (rule: waiting-approvals)', async () => {
    const { tool, calls } = recordingTool();
    const { result } = await finish([command('npm test'), done], { tools: [tool] });
    expect(calls).toEqual([]);
    expect(result).toMatchObject({ stopReason: 'needs_approval', answer: null, pending: [{ id: 'call_1' }] });
    expect(openCalls(result.history)).toHaveLength(1);
  });

  test('a tool with requiresApproval needs approval even if the service reports requires_approval: false', async () => {
    const { tool, calls } = recordingTool();
    const call = { name: 'run_command', args: { command: 'ls' }, requiresApproval: false };
    await finish([{ call }, done], { tools: [tool] });
    expect(calls).toEqual([]);
  });

  test('a call with requires_approval from the service needs approval even if the tool does not require it', async () => {
    const call = { name: 'look_up', args: { key: 'a' }, requiresApproval: true };
    const asked: string[] = [];
    const { result } = await finish([{ call }, done], {
      approve: async ({ action }) => {
        asked.push(action.tool_name);
        return { type: 'deny', reason: 'No.' };
      },
    });
    expect(asked).toEqual(['look_up']);
    expect(result.history[2]).toMatchObject({ toolResult: { success: false, denied: true } });
  });

  test('a guard can require approval for a tool that does not', async () => {
    const { result } = await finish([{ call: { name: 'look_up', args: { key: 'a' } } }, done], {
      guards: [() => ({ type: 'ask' })],
    });
    expect(result.stopReason).toBe('needs_approval');
  });
});

describe('rules of the decision always (rule: always-rules)', () => {
  const call = (args: Record<string, unknown>, tool: { readOnlyHint?: boolean } = {}) => ({
    action: {
      tool_name: 'run_command',
      tool_args: args,
      raw_action_string: '',
      id: 'call_1',
      requires_approval: true,
    },
    tool: { annotations: { requiresApproval: true, readOnlyHint: tool.readOnlyHint } },
  });
  const run = (command: string, others = {}) => {
    const { action, tool } = call({ command, ...others });
    return { action, tool: { ...tool, readShellCall } };
  };
  const exactly = (command: string) => ({ type: 'call', tool: 'run_command', args: { command } });

  test.each([
    ['rm build.log', 'rm -rf src'],
    ['npm run test', 'npm run build'],
    ['bash ./x.sh', 'bash -c "rm -rf ~"'],
    ['npm test', 'npm test -- --watch'],
    ['npm test', 'npm  test'],
    ['npm test', 'npm test '],
    ['echo a', 'echo A'],
  ])('a rule for `%s` does not allow `%s`', async (agreed, other) => {
    const rules = await proposeRules(run(agreed));
    expect(await isAllowed(run(agreed), rules)).toBe(true);
    expect(await isAllowed(run(other), rules)).toBe(false);
  });

  test.each([
    ['a Hangul filler', '\u3164'],
    ['a no-break space', '\u00a0'],
    ['an ideographic space', '\u3000'],
    ['a line separator', '\u2028'],
    ['a soft hyphen', '\u00ad'],
    ['a zero-width space', '\u200b'],
    ['a tag character', '\u{e0041}'],
    ['a variation selector', '\ufe0f'],
    ['a combining grapheme joiner', '\u034f'],
    ['a blank Braille pattern', '\u2800'],
    ['a bell', '\u0007'],
  ])('no rule is proposed for a call with the invisible character %s', async (_, unseen) => {
    expect(await proposeRules(run(`ls${unseen}src`))).toEqual([]);
    expect(await isAllowed(run(`ls${unseen}src`), [{ ...exactly(`ls${unseen}src`), type: 'call' }])).toBe(
      false,
    );
  });

  test('no rule is proposed for a folder name with invisible characters, but letters of any script are allowed', async () => {
    expect(await proposeRules(run('ls', { working_dir: 'src\u3164' }))).toEqual([]);
    expect(await proposeRules(run('ls größe 日本語 e\u0301', { working_dir: 'año' }))).toHaveLength(1);
  });

  test('a rule for one command covers it in the same folder only', async () => {
    const rules = await proposeRules(run('make', { working_dir: 'a' }));
    expect(await isAllowed({ ...run('make', { working_dir: 'a' }) }, rules)).toBe(true);
    const { tool } = run('make');
    expect(await isAllowed({ ...call({ working_dir: 'a', command: 'make' }), tool }, rules)).toBe(true);
    for (const others of [{}, { working_dir: 'b' }, { working_dir: 'a', shell: 'zsh' }])
      expect(await isAllowed(run('make', others), rules)).toBe(false);
  });

  test.each([
    ['git status', ['git status -s', 'git status --short --branch']],
    ['ls', ['ls -la', 'ls src', 'ls -l src/a.ts test']],
    ['git log --oneline', ['git log', 'git log -5 --stat']],
    ['npm test', ['npm test --silent']],
    ['go test ./...', ['go test', 'go test -v ./...']],
  ])('the command rule for `%s` allows the permitted arguments and no others', async (agreed, others) => {
    const rules = (await proposeRules(run(agreed))).filter(({ type }) => type === 'commands');
    expect(rules).toHaveLength(1);
    for (const other of [agreed, ...others]) expect(await isAllowed(run(other), rules)).toBe(true);
    for (const other of [
      ...widenings.map((widen) => widen(agreed)),
      ...['git push', 'git branch new', 'npm run build', 'npm test -- --watch', 'go test -exec sh'],
      ...[
        'git log -p',
        'git log --output=x',
        'git status --ignored',
        'git -c a=b status',
        'ls ../secret',
        'ls /etc',
      ],
      ...['ls a/../..', 'ls -l -l', 'git', 'LS', '/bin/ls', './ls'],
    ])
      expect(await isAllowed(run(other), rules)).toBe(false);
    expect(await isAllowed(run(agreed, { working_dir: 'elsewhere' }), rules)).toBe(false);
  });

  const widenings: ((command: string) => string)[] = [
    ...[
      '; rm x',
      ' && rm x',
      ' | sh',
      ' > x',
      ' >> x',
      ' < x',
      ' & rm x',
      ' $(id)',
      ' `id`',
      ' <(id)',
      ' $HOME',
    ],
    ...[
      ' *',
      ' ?',
      ' [a]',
      ' {a,b}',
      ' ~',
      ' \\',
      ' !!',
      ' #',
      ' "a"',
      " 'a'",
      '\nrm x',
      '\rrm x',
      '\trm',
      '\0',
      '\u202e',
    ],
    ...[' --output=x', ' -c', ' --', ' --upload-pack=x', ' -exec'],
  ].map((end) => (command: string) => command + end);
  widenings.push(
    (command) => `PATH=. ${command}`,
    (command) => ` ${command}`,
    (command) => `sudo ${command}`,
  );

  test('a rule proposed for one command allows another command only if both match the same row of the command table', async () => {
    const words = fc.constantFrom(
      ...[
        'git',
        'status',
        'log',
        'npm',
        'test',
        'run',
        'ls',
        'rm',
        '-rf',
        '-s',
        '--short',
        'src',
        '..',
        '/',
        ';',
        '|',
      ],
      ...['--', '$(id)', '*', 'PATH=.', '"a"', '-la', './...', 'go'],
    );
    const commands = fc.oneof(
      fc.array(words, { minLength: 1, maxLength: 4 }).map((each) => each.join(' ')),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    const plain = /^[\w@+./:,-]+( [\w@+./:,-]+)*$/;
    await fc.assert(
      fc.asyncProperty(commands, commands, async (agreed, other) => {
        fc.pre(agreed !== other);
        const rules = await proposeRules(run(agreed));
        if (!(await isAllowed(run(other), rules))) return;
        expect([agreed, other]).toEqual([expect.stringMatching(plain), expect.stringMatching(plain)]);
        expect(rules.map(({ type }) => type)).toEqual(['call', 'commands']);
        expect((await proposeRules(run(other)))[1]).toEqual(rules[1]);
      }),
      { numRuns: 3_000 },
    );
  });

  test('a command with invisible characters needs approval each time', async () => {
    for (const hidden of ['npm test\u001b[2K', 'npm\ttest', 'a\nb', 'a\u202eb', 'a\u200bb'])
      expect(await proposeRules(run(hidden))).toEqual([]);
  });

  test('a rule by tool name is proposed for read-only tools only', async () => {
    expect(await proposeRules(call({ path: 'a' }))).toEqual([]);
    const read = call({ path: 'a' }, { readOnlyHint: true });
    expect(await proposeRules(read)).toEqual([{ type: 'reads', tool: 'run_command' }]);
    expect(await isAllowed(read, [{ type: 'reads', tool: 'run_command' }])).toBe(true);
    expect(await isAllowed(read, [{ type: 'reads', tool: 'other' }])).toBe(false);
    expect(await isAllowed(call({ path: 'a' }), [{ type: 'reads', tool: 'run_command' }])).toBe(false);
    expect(await isAllowed(run('ls'), [{ type: 'reads', tool: 'run_command' }])).toBe(false);
  });

  test('a tool that is no command tool gets no rule for its argument `command`, whatever its name', async () => {
    expect(await proposeRules(call({ command: 'git status' }))).toEqual([]);
    expect(await isAllowed(call({ command: 'git status' }), await proposeRules(run('git status')))).toBe(
      false,
    );
    const read = call({ command: 'git status' }, { readOnlyHint: true });
    expect(await proposeRules(read)).toEqual([{ type: 'reads', tool: 'run_command' }]);
  });

  test('a command with a path outside the folder gets a rule for the exact command only', async () => {
    const { action, tool } = run('ls link');
    const outside = async (args: ToolArguments) => ({
      ...(await readShellCall(args)),
      isInside: async () => false,
    });
    const rules = await proposeRules({ action, tool: { ...tool, readShellCall: outside } });
    expect(rules).toEqual([exactly('ls link')]);
  });

  test('a rule in the format of a former version allows nothing', async () => {
    const former: ApprovalRule[] = JSON.parse(
      '[{"tool":"run_command"},{"tool":"run_command","command_prefix":"npm"},{"type":"commands","tool":"run_command","entry":"npm"}]',
    );
    expect(await isAllowed(run('npm test'), former)).toBe(false);
  });

  test('describeRule describes each kind of rule in words', async () => {
    expect((await proposeRules(run('git status', { working_dir: 'a' }))).map(describeRule)).toEqual([
      'exactly run_command(command="git status", working_dir="a")',
      'run_command: git status with nothing but -s --short -b --branch --porcelain, {"working_dir":"a"}',
    ]);
    expect(await proposeRules(run('npm run lint'))).toEqual([exactly('npm run lint')]);
    expect(describeRule({ type: 'reads', tool: 'look_up' })).toBe('look_up, which only reads');
  });
});
