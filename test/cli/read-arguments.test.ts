import { describe, expect, test } from '@jest/globals';
import { readArguments } from '../../src/cli/commands/read-arguments.js';
import { UsageError } from '../../src/cli/commands/usage.js';

describe('the command line (rule: terminal)', () => {
  test('readArguments joins unquoted words to one task and accepts flags anywhere', () => {
    const read = readArguments(['how', '--model', 'm', 'many', '--file', 'a', '--file', 'b:1-2', '-y']);
    expect(read).toMatchObject({
      command: 'run',
      task: 'how many',
      options: { model: 'm', files: ['a', 'b:1-2'], yes: true, json: false, dir: '.' },
    });
  });

  test('readArguments reads the limits of the tools from flags (rule: tool-limits)', () => {
    const limits = ['--max-lines', '7', '--max-files', '8', '--max-matches', '9', '--command-timeout', '5'];
    expect(readArguments(['task', ...limits])).toMatchObject({
      options: { limits: { maxLines: 7, maxFiles: 8, maxMatches: 9, commandTimeoutMs: 5_000 } },
    });
  });

  test.each([
    'answer',
    'act',
  ] as const)('a task and the command `acp` accept --last-step %s (rule: last-iteration)', (lastStep) => {
    for (const command of [['task'], ['acp']])
      expect(readArguments([...command, '--last-step', lastStep])).toMatchObject({ options: { lastStep } });
  });

  test('readArguments returns no task if there are no words or only a blank one', () => {
    expect(readArguments([])).toMatchObject({ command: 'run', task: undefined });
    expect(readArguments([' '])).toMatchObject({ command: 'run', task: undefined });
  });

  test('`tool`, `replay` and `view` with more words than they accept are read as a task', () => {
    expect(readArguments(['tool', 'read_file', '{}'])).toMatchObject({
      command: 'tool',
      name: 'read_file',
      args: '{}',
    });
    expect(readArguments(['tool', 'list_files'])).toMatchObject({ args: '{}' });
    expect(readArguments(['replay', 'run.json'])).toMatchObject({ command: 'replay', file: 'run.json' });
    expect(readArguments(['view', 'run.json', '--no-open'])).toMatchObject({
      command: 'view',
      file: 'run.json',
      opensBrowser: false,
    });
    expect(readArguments(['view', 'run.json'])).toMatchObject({ opensBrowser: true });
    expect(readArguments(['view', 'the', 'logs'])).toMatchObject({ command: 'run', task: 'view the logs' });
    expect(readArguments(['replay', 'a', 'b'])).toMatchObject({ command: 'run', task: 'replay a b' });
    expect(readArguments(['tool', 'a', 'b', 'c'])).toMatchObject({ command: 'run', task: 'tool a b c' });
  });

  test('`token` with one name is read as the command, and with more words as a task (rule: token-command)', () => {
    expect(
      readArguments([
        'token',
        'ci',
        '--project',
        'a',
        '--project',
        'b',
        '--expires',
        '90d',
        '--file',
        'f',
        '--watch',
      ]),
    ).toEqual({
      command: 'token',
      name: 'ci',
      projects: ['a', 'b'],
      expires: '90d',
      watch: true,
      file: 'f',
    });
    expect(readArguments(['token', 'counting', 'where?'])).toMatchObject({ task: 'token counting where?' });
  });

  test.each([
    [['--max-steps', '0'], '--max-steps must be a whole number from 1 to 999999999.'],
    [['--max-steps', '1e3'], '--max-steps must be a whole number from 1 to 999999999.'],
    [['--max-steps', '1000000000'], '--max-steps must be a whole number from 1 to 999999999.'],
    [['--token-limit', '-5'], '--token-limit'],
    [['--token-limit', '1'], '--token-limit must be a whole number from 2 to 999999999.'],
    [['--last-step', 'x'], '--last-step must be one of: answer, act.'],
    [['--last-step'], '--last-step needs a value.'],
    [['tool', 'read_file', '--last-step', 'act'], 'stepwise tool has no option --last-step.'],
    [['--strategy', 'x'], '--strategy must be one of: react, reason-act-observe.'],
    [['--protocol', 'x'], '--protocol must be one of: text, xml, json, native, auto.'],
    [['--max-lines', '0'], '--max-lines must be a whole number from 1 to 999999999.'],
    [['--command-timeout', 'x'], '--command-timeout must be'],
    [['--command-timeout', '3000000'], '--command-timeout must be a whole number from 1 to 86400.'],
    [['--dir', ''], '--dir needs a value.'],
    [['--model', ''], '--model needs a value.'],
    [['--file', 'a', '--file', ''], '--file needs a value.'],
    [['--server', 'ftp://foo'], '--server must be the http or https URL of a service'],
    [['--server', 'nonsense'], '--server must be the http or https URL of a service'],
    [['--token', 'abc'], '--token needs --server: it is for a service that runs already.'],
    [['token'], 'token needs a name for the caller who will use it. Usage: stepwise token NAME'],
    [['token', 'ci', '--file', 'a', '--file', 'b'], 'token takes one --file'],
    [['token', 'ci', '--expires', ''], '--expires needs a value.'],
    [['task', '--project', 'x'], '--project is an option of stepwise token, not of a task.'],
    [['task', '--expires', 'x'], '--expires is an option of stepwise token, not of a task.'],
    [['--model'], '--model needs a value.'],
    [['--model', '--yes'], '--model needs a value. Write one that begins with "-" as --model=VALUE.'],
    [['--json=3'], '--json takes no value.'],
    [['--key', 'sk-1'], 'There is no option --key. --help lists the options.'],
    [['--modle', 'x'], 'There is no option --modle. Did you mean --model?'],
    [['--maxsteps', '3'], 'Did you mean --max-steps?'],
    [['--tool', 'x.js'], 'Did you mean --tools?'],
    [['--stream', '1'], 'Did you mean --upstream?'],
    [['--temperature', '1'], 'There is no option --temperature. --help lists the options.'],
    [['--max', '3'], 'Did you mean --max-steps?'],
    [['-z'], 'There is no option -z.'],
    [['--__proto__', 'x'], 'There is no option --__proto__.'],
    [
      ['-5 is what?'],
      'There is no option -5. --help lists the options. Put -- before a task that begins with "-".',
    ],
    [['view'], 'view needs the file of a saved run. Usage: stepwise view FILE'],
    [['--no-open', 'a task'], '--no-open is an option of stepwise view, not of a task.'],
    [['replay'], 'replay needs the file of a saved run. Usage: stepwise replay FILE'],
  ])('readArguments explains the usage error %j', (argv, message) => {
    expect(() => readArguments(argv)).toThrow(UsageError);
    expect(() => readArguments(argv)).toThrow(message);
  });

  test.each([
    [['completion', 'bash', '--yes'], 'stepwise completion has no option --yes.'],
    [['--yes', 'completion', 'bash'], 'stepwise completion has no option --yes.'],
    [['token', 'ci', '--model', 'm'], 'stepwise token has no option --model. stepwise token --help lists'],
    [['doctor', '--version'], 'stepwise doctor has no option --version.'],
    [['tool', 'read_file', '--max-steps=3'], 'stepwise tool has no option --max-steps.'],
    [['token', 'ci', '--projct', 'x'], /^There is no option --projct\. Did you mean --project\?$/],
  ])('readArguments refuses %j, because the command has no such option', (argv, message) => {
    expect(() => readArguments(argv)).toThrow(UsageError);
    expect(() => readArguments(argv)).toThrow(message);
  });

  test.each([
    ['docter', 'doctor'],
    ['Doctor', 'doctor'],
    ['dctr', 'doctor'],
    ['toekn', 'token'],
    ['completoin', 'completion'],
    ['veiw', 'view'],
    ['apc', 'acp'],
  ])('readArguments refuses the single word %s and suggests stepwise %s', (word, command) => {
    expect(() => readArguments([word])).toThrow(UsageError);
    expect(() => readArguments([word])).toThrow(
      `There is no command ${word}. Did you mean stepwise ${command}? To run it as a task: stepwise -- ${word}`,
    );
    expect(() => readArguments(['--model', 'm', word])).toThrow(UsageError);
  });

  test.each([
    [['--', 'docter'], 'docter'],
    [['--', 'doctor'], 'doctor'],
    [['docter', 'now'], 'docter now'],
    [['docter now'], 'docter now'],
    [['docs'], 'docs'],
    [['complete'], 'complete'],
    [['@view'], '@view'],
  ])('readArguments reads %j as a task, not as a mistyped command', (argv, task) => {
    expect(readArguments(argv)).toMatchObject({ command: 'run', task });
  });

  test.each([
    'tool',
    'acp',
    'doctor',
    'completion',
    'token',
    'replay',
    'view',
  ])('stepwise %s --help prints the usage and the options of that command alone', (name) => {
    const read = readArguments([name, '--help']);
    const help = read.command === 'tool-help' ? read.help : read.command === 'help' ? read.text : '';
    expect(help).toMatch(new RegExp(`^Usage: stepwise ${name} `));
    expect(help).toContain('--help');
    expect(help.includes('--project')).toBe(name === 'token');
    expect(help.includes('--no-open')).toBe(name === 'view');
    expect(help.includes('--continue')).toBe(false);
  });

  test('stepwise --help lists the options of a run and every command, even if a task is given', () => {
    const read = readArguments(['a', 'task', '--help']);
    expect(read).toEqual(readArguments(['-h']));
    const help = read.command === 'help' ? read.text : '';
    for (const flag of ['--dir', '--resume', '--token', '--version']) expect(help).toContain(`${flag} `);
    for (const name of ['tool', 'serve', 'acp', 'doctor', 'completion', 'token', 'replay', 'view'])
      expect(help).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    expect(help).not.toContain('--project');
  });
});
