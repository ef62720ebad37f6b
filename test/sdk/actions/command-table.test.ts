import { describe, expect, test } from '@jest/globals';
import { describeEntry, findEntry } from '../../../src/sdk/actions/command-table.js';

const entryOf = (command: string) => findEntry(command)?.name;

const pytest =
  '-q -qq --quiet -v -vv --verbose -s -x --exitfirst --maxfail=1 --lf --last-failed --ff --failed-first -ra -rA --tb=short --tb=line --tb=no and paths inside the folder';

/** A copy of the table on purpose: a change of what may run without a question must be made in two places. */
const expectedRows = {
  ls: '-1 -a -A -l -h -la -al -lh -lah and paths inside the folder',
  'git status': '-s --short -b --branch --porcelain',
  'git log': '--oneline --stat --graph --decorate --all -1 -3 -5 -10 -20',
  'git diff': '--stat --name-only --name-status --cached --staged',
  'git branch': '-a --all -v -vv --list --show-current',
  'npm test': '-s --silent',
  'cargo check': '-q --quiet --release --workspace --all-targets',
  'cargo test': '-q --quiet --release --workspace --no-fail-fast',
  'go vet': './...',
  'go test': './... -v -short -race',
  pytest,
  'python -m pytest': pytest,
  'python3 -m pytest': pytest,
} as const;
const names = Object.keys(expectedRows);

/** Arguments that may follow a command: those of every row of the table, and others that no row may permit. */
const candidates = [
  ...new Set(Object.values(expectedRows).flatMap((row) => argumentsOf(row))),
  ...['-p', '-d', '-D', '-m', '-f', '-c', '-C', '-R', '-o', '-exec', '-vettool=x', '-toolexec', '--output=x'],
  ...[
    '-p',
    '-k',
    '-m',
    '-n',
    '-o',
    '--pdb',
    '--co',
    '--rootdir=/',
    '--pyargs',
    '-rootdir',
    '@args',
    'a=b',
    '/abs',
    '../up',
  ],
  ...['--ext-diff', '--textconv', '--fix', '--prefix', '--config=x', '--watch', '--', 'new', 'src/a.ts'],
];

/** The candidates that are paths inside the folder. */
const innerPaths = ['./...', 'new', 'src/a.ts'];

/** Programs and subcommands that no row may permit. */
const others = [
  ...['cat', 'rm', 'sh', 'find', 'git', 'npm', 'cargo', 'go', 'make', 'git push', 'git show', 'git checkout'],
  ...['python', 'python -m', 'python -m http.server', 'python test.py', 'py.test', 'pytest-watch'],
  ...['git fetch', 'npm run', 'npm install', 'npx test', 'cargo run', 'cargo build', 'cargo fix', 'go run'],
  ...['go build', 'go generate', 'git stash', 'git tag', 'git config', 'npm exec', 'yarn test', 'pnpm test'],
];

describe('the command table (rule: always-rules)', () => {
  test.each(
    Object.entries(expectedRows),
  )('the description of the table row `%s` lists exactly: %s', (name, row) => {
    expect(describeEntry(name)).toBe(`${name} with nothing but ${row}`);
  });

  test.each(Object.entries(expectedRows))('the row `%s` permits exactly these arguments: %s', (name, row) => {
    const takesPaths = row.endsWith(' inside the folder');
    const permitted = candidates.filter((each) => entryOf(`${name} ${each}`) !== undefined);
    const paths = takesPaths ? innerPaths : [];
    expect(permitted.sort()).toEqual([...new Set([...argumentsOf(row), ...paths])].sort());
    expect(new Set(permitted.map((each) => entryOf(`${name} ${each}`)))).toEqual(new Set([name]));
    expect(entryOf(name)).toBe(name);
  });

  test('the command table permits the known programs and subcommands only', () => {
    const permitted = [...names, ...others].filter((each) => entryOf(each) !== undefined);
    expect(permitted).toEqual(names);
  });

  test.each(names)('the table row `%s` permits all its arguments together, but no argument twice', (name) => {
    const all = argumentsOf(expectedRows[name as keyof typeof expectedRows]); // `names` are its keys
    expect(entryOf([name, ...all.toReversed()].join(' '))).toBe(name);
    for (const each of all) expect(entryOf(`${name} ${each} ${each}`)).toBeUndefined();
  });
});

function argumentsOf(row: string): string[] {
  return row.replace(/ and paths inside the folder$/, '').split(' ');
}

describe('paths of permitted commands (rule: always-rules)', () => {
  test.each([
    ['pytest tests/test_a.py -q', ['tests/test_a.py']],
    ['pytest -q', []],
    [
      'python -m pytest tests/test_a.py::TestA::test_b -x',
      ['tests/test_a.py::TestA::test_b', 'tests/test_a.py'],
    ],
    ['ls -la src lib', ['src', 'lib']],
    ['git status -s', []],
  ])('the command table reports the paths in the command `%s`', (command, paths) => {
    expect(findEntry(command)?.paths).toEqual(paths);
  });

  test.each([
    'pytest @arguments.txt',
    'pytest -p evil',
    'pytest -c evil.ini',
    'pytest --rootdir=/',
    'pytest ../other',
    'pytest /abs/test_a.py',
    'pytest tests/../../x',
    'pytest a=b',
    'PYTHONPATH=. pytest',
    'pytest "tests/a b.py"',
    'python -m pytest; rm x',
  ])('no row of the command table permits `%s`', (command) => {
    expect(findEntry(command)).toBeUndefined();
  });
});
