import { describe, expect, test } from '@jest/globals';
import { readArguments } from '../../src/cli/commands/read-arguments.js';
import { UsageError } from '../../src/cli/commands/usage.js';

describe('the command line (rule: terminal)', () => {
  test('words without quotes are one task; flags may stand anywhere', () => {
    const read = readArguments(['how', '--model', 'm', 'many', '--file', 'a', '--file', 'b:1-2', '-y']);
    expect(read).toMatchObject({
      command: 'run',
      task: 'how many',
      options: { model: 'm', files: ['a', 'b:1-2'], yes: true, json: false, dir: '.' },
    });
  });

  test('the limits of the tools are flags (rule: tool-limits)', () => {
    const limits = ['--max-lines', '7', '--max-files', '8', '--max-matches', '9', '--command-timeout', '5'];
    expect(readArguments(['task', ...limits])).toMatchObject({
      options: { limits: { maxLines: 7, maxFiles: 8, maxMatches: 9, commandTimeoutMs: 5_000 } },
    });
  });

  test('without a task there is none', () => {
    expect(readArguments([])).toMatchObject({ command: 'run', task: undefined });
    expect(readArguments([' '])).toMatchObject({ command: 'run', task: undefined });
  });

  test('tool and replay are commands only with as many words as they take', () => {
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
      staysClosed: true,
    });
    expect(readArguments(['view', 'the', 'logs'])).toMatchObject({ command: 'run', task: 'view the logs' });
    expect(readArguments(['replay', 'a', 'b'])).toMatchObject({ command: 'run', task: 'replay a b' });
    expect(readArguments(['tool', 'a', 'b', 'c'])).toMatchObject({ command: 'run', task: 'tool a b c' });
  });

  test('token is a command with one name; with more words it begins a task (rule: token-command)', () => {
    expect(
      readArguments(['token', 'ci', '--project', 'a', '--project', 'b', '--expires', '90d', '--file', 'f']),
    ).toEqual({
      command: 'token',
      name: 'ci',
      projects: ['a', 'b'],
      expires: '90d',
      file: 'f',
    });
    expect(readArguments(['token', 'counting', 'where?'])).toMatchObject({ task: 'token counting where?' });
  });

  test.each([
    [['--max-steps', '0'], '--max-steps must be a whole number from 1.'],
    [['--max-steps', '1e3'], '--max-steps must be a whole number from 1.'],
    [['--token-limit', '-5'], '--token-limit'],
    [['--strategy', 'x'], '--strategy must be one of: react, reason-act-observe.'],
    [['--protocol', 'x'], '--protocol must be one of: text, xml, json, native, auto.'],
    [['--max-lines', '0'], '--max-lines must be a whole number from 1.'],
    [['--command-timeout', 'x'], '--command-timeout must be'],
    [['--command-timeout', '3000000'], '--command-timeout must be at most 86400 (a day).'],
    [['--dir', ''], '--dir has no value.'],
    [['--model', ''], '--model has no value.'],
    [['--file', 'a', '--file', ''], '--file has no value.'],
    [['--server', 'ftp://foo'], '--server must be the http or https URL of a service'],
    [['--server', 'nonsense'], '--server must be the http or https URL of a service'],
    [['--token', 'abc'], '--token needs --server: it is for a service that runs already.'],
    [['token'], 'token needs a name for whom it is. Usage: stepwise token NAME'],
    [['token', 'ci', '--file', 'a', '--file', 'b'], 'token takes one --file'],
    [['token', 'ci', '--expires', ''], '--expires has no value.'],
    [['task', '--project', 'x'], '--project and --expires belong to stepwise token NAME.'],
    [['task', '--expires', 'x'], '--project and --expires belong to stepwise token NAME.'],
    [['--model'], '--model needs a value.'],
    [['--model', '--yes'], '--model needs a value. One that begins with "-" is given as --model=--yes.'],
    [['--json=3'], '--json takes no value.'],
    [['--key', 'sk-1'], 'There is no option --key. --help lists what there is.'],
    [['--modle', 'x'], 'There is no option --modle. Did you mean --model?'],
    [['--maxsteps', '3'], 'Did you mean --max-steps?'],
    [['--tool', 'x.js'], 'Did you mean --tools?'],
    [['--stream', '1'], 'Did you mean --upstream?'],
    [['--temperature', '1'], 'There is no option --temperature. --help lists what there is.'],
    [['--max', '3'], 'Did you mean --max-steps?'],
    [['-z'], 'There is no option -z.'],
    [['--__proto__', 'x'], 'There is no option --__proto__.'],
    [['-5 is what?'], 'A task that begins with "-" comes after --.'],
    [['view'], 'view needs the file of a saved run. Usage: stepwise view FILE'],
    [['--no-open', 'a task'], '--no-open belongs to stepwise view FILE.'],
    [['replay'], 'replay needs the file of a saved run. Usage: stepwise replay FILE'],
  ])('%j is a mistake that is explained', (argv, message) => {
    expect(() => readArguments(argv)).toThrow(UsageError);
    expect(() => readArguments(argv)).toThrow(message);
  });
});
