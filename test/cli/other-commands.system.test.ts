import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { answer, ended, scripted, setUp } from '../support/cli-harness.js';

const main = join(process.cwd(), '.build/src/cli/main.js');

describe('`stepwise serve` and `stepwise tool` (rule: terminal)', () => {
  test('`stepwise serve` starts the service, and ends with 0 on SIGTERM', async () => {
    const { environment } = await setUp([]);
    const env = { ...environment, PORT: '0', LOG_LEVEL: 'silent' };
    const child = spawn(process.execPath, [main, 'serve'], { env });
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    try {
      while (!stderr.includes('(contract:')) await once(child.stderr, 'data');
      const [, url] = /Stepwise listens on (\S+) /.exec(stderr) ?? [];
      expect((await fetch(`${url}/api/agent/models`)).status).toBe(200);
    } finally {
      child.kill('SIGTERM');
    }
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
  }, 30_000);

  test('`stepwise serve --help` prints the help of the service, and with an invalid setting `stepwise serve` exits with 2', () => {
    const run = (args: readonly string[], env = {}) =>
      spawnSync(process.execPath, [main, 'serve', ...args], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
    expect(run(['--help'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('Usage: stepwise serve'),
    });
    const wrong = run([], { PORT: 'many' });
    expect(wrong).toMatchObject({ status: 2, stderr: expect.stringContaining('PORT') });
  }, 30_000);

  test('`stepwise tool` lists the tools with their arguments, and --help describes the arguments of one', async () => {
    const { run } = await setUp([]);
    const all = await run(['tool']);
    expect(all.code).toBe(0);
    expect(all.stdout).toContain('edit_file(path: string, old_string: string, new_string: string)');
    expect(all.stdout).toContain('read_file(path: string, start_line?: integer, end_line?: integer)');
    expect(all.stdout).toMatch(/run_command\(.*\n {2}Run a shell command.* Needs approval\./);
    const one = await run(['tool', 'run_command', '--help']);
    expect(one.stdout).toContain('Usage: stepwise tool run_command [JSON]');
    expect(one.stdout).toContain('    working_dir: Relative to the project folder, which is the default.');
    expect((await run(['tool', 'nope', '--help'])).stderr).toContain(
      'There is no tool nope. Available tools: ',
    );
  }, 30_000);
});

describe('`stepwise doctor` (rule: terminal)', () => {
  test('`stepwise doctor` reports folders, keys and reachable servers without printing a secret', async () => {
    const { run, environment, provider } = await setUp([]);
    const { host } = new URL(provider.url);
    Object.assign(environment, {
      OPENAI_API_KEY: 'sk-very-secret-1',
      STEPWISE_TOKEN: 'token-very-secret-2',
      OPENAI_UPSTREAM_URL: 'http://127.0.0.1:9/v1',
      ANTHROPIC_UPSTREAM_URL: 'http://127.0.0.1:9',
      UPSTREAMS: JSON.stringify({ fake: `${provider.url}/v1`, away: 'http://127.0.0.1:9/very-secret-path' }),
    });
    const { stdout, stderr, code } = await run(['doctor']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {2}Node\.js +v/m);
    expect(stdout).toMatch(/^ok {2}Folder .*can be read and written$/m);
    expect(stdout).toMatch(/^ok {2}OPENAI_API_KEY +is set$/m);
    expect(stdout).toMatch(/^-- {2}ANTHROPIC_API_KEY +is not set$/m);
    expect(stdout).toMatch(new RegExp(`^ok {2}Upstream fake +${host} answers \\(\\d+\\)$`, 'm'));
    expect(stdout).toMatch(/^-- {2}Upstream away +127\.0\.0\.1:9 does not answer$/m);
    expect(stdout).toMatch(/^ok {2}Service of --server .* answers \(200\)$/m);
    expect(stdout + stderr).not.toContain('very-secret');
  }, 30_000);

  test('`stepwise doctor` ends with 1 if the service of --server does not answer', async () => {
    const { environment, folder } = await setUp([], {}, { inProcess: true });
    const args = [main, '--dir', folder, '--server', 'http://127.0.0.1:9', 'doctor'];
    const { code, stdout } = await ended(spawn(process.execPath, args, { env: environment }));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^!! {2}Service of --server +127\.0\.0\.1:9 does not answer$/m);
  }, 30_000);

  test('`stepwise doctor` prints no user, password, path or query of an address, even of an invalid setting', async () => {
    const { run, environment, provider } = await setUp([]);
    const { host } = new URL(provider.url);
    const secret = 'http://very-secret-user:very-secret-word';
    Object.assign(environment, {
      HTTPS_PROXY: `${secret}@127.0.0.1:9`,
      REDIS_URL: 'redis://:very-secret@127.0.0.1:6379',
    });
    const right = await run(['doctor']);
    const wrong: NodeJS.ProcessEnv[] = [
      { UPSTREAMS: `{"fake": "${secret}@${host}/v1"` },
      { UPSTREAMS: JSON.stringify({ fake: `${secret}@${host}/v1` }) },
      { OPENAI_UPSTREAM_URL: `${secret}@127.0.0.1:9/very-secret/v1?key=very-secret` },
      { ANTHROPIC_UPSTREAM_URL: `${secret}@[::1]:9` },
      { UPSTREAMS: `{"fake": "very-secret://${host}"}` },
      { UPSTREAMS: `${secret}@${host}` },
      { OPENAI_UPSTREAM_URL: 'very-secret' },
      { REDIS_URL: 'very-secret' },
    ];
    for (const settings of wrong) {
      const before = { ...environment };
      Object.assign(environment, settings);
      const { stdout, stderr } = await run(['doctor']);
      Object.assign(environment, before);
      expect(stdout + stderr).not.toContain('very-secret');
    }
    expect(right.stdout + right.stderr).not.toContain('very-secret');
  }, 40_000);

  test('`stepwise doctor` ends with 1 if the folder is unreadable and a setting is invalid', async () => {
    const { run, environment } = await setUp([]);
    environment['UPSTREAMS'] = '{';
    const { stdout, code } = await run(['doctor', '--dir', '/nowhere']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^!! {2}Folder +\/nowhere cannot be read$/m);
    expect(stdout).toMatch(/^!! {2}Settings of the service +UPSTREAMS/m);
  }, 30_000);
});

test('the CLI refuses an option that belongs to another command; `stepwise token --help` prints only the help of that command', async () => {
  const { run } = await setUp([]);
  expect(await run(['completion', 'bash', '--yes'])).toMatchObject({
    code: 1,
    stdout: '',
    stderr:
      'stepwise: stepwise completion has no option --yes. stepwise completion --help lists its options.\n',
  });
  const help = await run(['token', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toMatch(/^Usage: stepwise token NAME /);
}, 30_000);

test('a mistyped command ends with 1 without calling a model', async () => {
  const { run, provider } = await setUp([answer('No.')]);
  const { code, stderr } = await run([...scripted, 'docter']);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('There is no command docter. Did you mean stepwise doctor?'),
  });
  expect(provider.requests).toEqual([]);
}, 30_000);

describe('shell completion (rule: terminal)', () => {
  const script = (shell: string) =>
    spawnSync(process.execPath, [main, 'completion', shell], { encoding: 'utf8' }).stdout;
  const words = ['stepwise', 'tool', 'r'];

  test.each([
    [['stepwise', 'd'], ['doctor']],
    [words, ['read_file', 'run_command']],
    [
      ['stepwise', '--strategy', ''],
      ['react', 'reason-act-observe'],
    ],
    [['stepwise', '--cont'], ['--continue']],
    [['stepwise', '--dir', 'src/cl'], ['src/cli']],
    [
      ['stepwise', 'token', 'ci', '--'],
      ['--expires', '--file', '--help', '--project', '--watch'],
    ],
    [['stepwise', 'completion', 'bash', '--y'], ['']],
    [['stepwise', 'view', 'openapi.y'], ['openapi.yaml']],
  ])(
    'the bash completion completes %j',
    (typed, offered) => {
      const line = typed.map((word) => `'${word}'`).join(' ');
      const ask = `COMP_WORDS=(${line}); COMP_CWORD=${typed.length - 1}; _stepwise; printf '%s\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = spawnSync('bash', ['-c', `${script('bash')}\n${ask}`], { encoding: 'utf8' });
      expect({ stderr, offered: stdout.trim().split('\n').sort() }).toEqual({ stderr: '', offered });
    },
    20_000,
  );

  test('the bash completion offers a file name with spaces as one word', async () => {
    const { folder } = await setUp([], { 'my runs/a.json': '{}' });
    const ask = `COMP_WORDS=(stepwise replay my); COMP_CWORD=2; _stepwise; printf '[%s]' "\${COMPREPLY[@]}"`;
    const options = { encoding: 'utf8', cwd: folder } as const;
    const { stdout } = spawnSync('bash', ['-c', `${script('bash')}\n${ask}`], options);
    expect(stdout).toBe('[my runs]');
  }, 20_000);

  test.each([
    'zsh',
    'fish',
  ])('the %s completion describes options and tools, and is valid syntax', (shell) => {
    const text = script(shell);
    for (const name of ['dir', 'continue', 'max-steps', 'last-step', 'strategy'])
      expect(text).toMatch(new RegExp(`(--|-l )${name}`));
    expect(text).toContain('continue the newest run of this folder');
    expect(text).toContain('run_command');
    const isThere = ['/usr/bin', '/bin', '/usr/local/bin'].some((folder) => existsSync(join(folder, shell)));
    if (isThere) expect(spawnSync(shell, ['-n'], { input: text, encoding: 'utf8' }).stderr).toBe('');
  }, 20_000);

  test('completion for an unsupported shell ends with 1 and names the supported ones', async () => {
    const { run } = await setUp([]);
    const { code, stderr } = await run(['completion', 'tcsh']);
    expect(code).toBe(1);
    expect(stderr).toContain('completion needs a shell: stepwise completion bash|zsh|fish.');
  }, 20_000);
});
