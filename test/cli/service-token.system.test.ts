import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createToken, digestOf } from '../../src/service/operations/access/token.js';
import { readTokenEntries } from '../../src/service/operations/access/token-entries.js';
import { type Service, startService } from '../../src/service/start.js';
import { act, answer, type Bench, ended, scripted, setUp } from '../support/cli-harness.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { patience } from '../support/patience.js';
import { writeTokenFile } from '../support/token-file.js';

const project = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

describe('stepwise token (rule: token-command)', () => {
  test('`stepwise token` prints only the token to stdout, and its entry to stderr', async () => {
    const { run } = await setUp([]);
    const { code, stdout, stderr } = await run([
      'token',
      'ci',
      '--project',
      project,
      '--expires',
      '2099-01-31',
      '--watch',
    ]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^stepwise_[\da-f]{64}\n$/)]);
    expect(stderr).not.toContain(stdout.trim());
    const shown = /^tokens:\n(?: .*\n)+/m.exec(stderr)?.[0] ?? '';
    expect(readTokenEntries(shown)).toEqual([
      {
        sha256: digestOf(stdout.trim()),
        caller: {
          name: 'ci',
          projects: new Set([project]),
          expiresAt: Date.UTC(2099, 1, 1),
          allowance: { requestsAtOnce: 32 },
          mayWatch: true,
        },
      },
    ]);
  });

  test('`stepwise token --file` adds the entry to a file that the service accepts', async () => {
    const { run, folder } = await setUp([]);
    const file = join(folder, 'tokens.yaml');
    const first = await run(['token', 'ci', '--file', file]);
    const second = await run(['token', 'web', '--file', file, '--expires', '90d']);
    expect([first.code, second.code, second.stderr]).toEqual([
      0,
      0,
      expect.stringContaining(`is in ${file}`),
    ]);
    const entries = readTokenEntries(readFileSync(file, 'utf8'));
    expect(entries.map(({ sha256 }) => sha256)).toEqual(
      [first, second].map(({ stdout }) => digestOf(stdout.trim())),
    );
    const days = ((entries[1]?.caller.expiresAt ?? 0) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
  });

  test.each([
    [['token', 'sk-canary'], 'The name of a token appears in the log'],
    [['token', 'a b'], 'The name of a token appears in the log'],
    [['token', 'ci', '--project', 'shop'], '--project must be the id of a project, a UUID.'],
    [
      ['token', 'ci', '--expires', 'soon'],
      '--expires must be a date or time in the future, such as 2027-01-31',
    ],
    [['token', 'ci', '--expires', '2020-01-31'], '--expires must be a date or time in the future'],
    [['token', 'ci', '--expires', '0d'], '--expires must be a date or time in the future'],
    [['token', 'ci', '--file', '/nowhere/tokens.yaml'], 'ENOENT'],
    [['token', 'ci', '--file', 'package.json'], 'package.json: expected `tokens:` and a list of entries'],
  ])('the usage error %j is explained and creates no token', async (args, message) => {
    const { run } = await setUp([]);
    const { code, stdout, stderr } = await run(args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^stepwise: [^\n]*\n$/);
    expect(stderr).toContain(message);
  });
});

/** Command that prints arguments and environment of each of its parent processes. */
const everyParent =
  'pid=$$; while [ "$pid" -gt 1 ]; do tr "\\0" "\\n" < /proc/$pid/cmdline; tr "\\0" "\\n" < /proc/$pid/environ; ' +
  'pid=$(sed "s/.*) . //" /proc/$pid/stat | cut -d" " -f1); done';

const { test: onLinux } = needs(linux);

describe('a service that requires a token (rule: bearer-tokens)', () => {
  const token = createToken();
  let bench: Bench;
  let service: Service;
  beforeEach(async () => {
    bench = await setUp([act(`run_command(command=${JSON.stringify(everyParent)})`), answer('42')]);
    const UPSTREAMS = { fake: `${bench.provider.url}/v1` };
    const file = writeTokenFile({ token, name: 'cli' });
    service = await startService({
      ...patience,
      PORT: 0,
      LOG_LEVEL: 'silent',
      AUTH_TOKENS_FILE: file,
      UPSTREAMS,
    });
  });
  afterEach(() => service.close());
  const run = (...args: string[]) =>
    bench.run(['--server', service.url, ...scripted, '--json', ...args, 'What?']);

  test.each([
    ['no', [], {}],
    ['a wrong', ['--token', createToken()], {}],
    ['a wrong environment', [], { STEPWISE_TOKEN: createToken() }],
  ])('a run with %s token explains that STEPWISE_TOKEN must be set', async (_, args, environment) => {
    Object.assign(bench.environment, environment);
    const { code, stderr } = await run(...args);
    expect(code).toBe(1);
    expect(stderr).toContain('A valid bearer token of this service is required. (unauthenticated)');
    expect(stderr).toContain('Set STEPWISE_TOKEN to a token of that service.');
    expect(stderr).not.toContain('stepwise_');
  });

  test('a malformed token is refused before it is sent', async () => {
    bench.environment['STEPWISE_TOKEN'] = 'canary canary';
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^stepwise: A service token contains only visible ASCII/m),
    ]);
    expect(stderr).not.toContain('canary');
  });

  onLinux.each([
    ['STEPWISE_TOKEN', [], { STEPWISE_TOKEN: token }],
    ['--token, which overrides STEPWISE_TOKEN', ['--token', token], { STEPWISE_TOKEN: createToken() }],
    [
      'STEPWISE_TOKEN, with a copy in a URL',
      [],
      { STEPWISE_TOKEN: token, COPY: `https://${token}@a.example` },
    ],
    ['--token, with a copy in another variable', ['--token', token], { COPY: `Bearer ${token}` }],
  ])(
    'the token from %s authenticates the run, and is hidden from commands and the saved run',
    async (_, args, environment) => {
      Object.assign(bench.environment, environment);
      const saved = join(bench.folder, 'run.json');
      const { code, stdout, stderr } = await run(...args, '--yes', '--save', saved);
      expect([code, stdout]).toEqual([0, expect.stringContaining('"answer":"42"')]);
      expect(readFileSync(saved, 'utf8')).toContain('PATH=');
      expect([stdout, stderr, readFileSync(saved, 'utf8'), bench.prompt(1)].join()).not.toContain(
        'stepwise_',
      );
    },
  );
});

test('the service inside the CLI ignores AUTH_TOKENS_FILE and requires no token (rule: token-command)', async () => {
  const bench = await setUp([answer('42')], {}, { inProcess: true });
  bench.environment['AUTH_TOKENS_FILE'] = '/nowhere/tokens.yaml';
  expect(await ended(bench.start([...scripted, 'What?']))).toMatchObject({ code: 0 });
});
