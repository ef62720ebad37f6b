/** Commands that one rule may allow: they only list, build or test, and accept only the listed arguments. */
interface CommandEntry {
  /** The program and its subcommand, if it has one. */
  readonly words: readonly string[];
  /** Permitted arguments: each at most once, in any order. */
  readonly permitted: readonly string[];
  /**
   * True if paths inside the folder may follow; only for programs that print file names, or that run the tests at these
   * paths.
   */
  readonly takesPaths?: boolean;
}

/** Arguments of pytest that only select tests, or change how their results are printed. */
const pytestArguments = [
  ...['-q', '-qq', '--quiet', '-v', '-vv', '--verbose', '-s', '-x', '--exitfirst', '--maxfail=1'],
  ...['--lf', '--last-failed', '--ff', '--failed-first', '-ra', '-rA', '--tb=short', '--tb=line', '--tb=no'],
];

/**
 * The commands that the decision "always" may allow as a group (rule: always-rules). The arguments of a new entry must
 * not make the program write outside build folders, run another program, or print the contents of a file.
 */
const commandTable: Readonly<Record<string, CommandEntry>> = entries([
  { words: ['ls'], permitted: ['-1', '-a', '-A', '-l', '-h', '-la', '-al', '-lh', '-lah'], takesPaths: true },
  { words: ['git', 'status'], permitted: ['-s', '--short', '-b', '--branch', '--porcelain'] },
  {
    words: ['git', 'log'],
    permitted: ['--oneline', '--stat', '--graph', '--decorate', '--all', '-1', '-3', '-5', '-10', '-20'],
  },
  { words: ['git', 'diff'], permitted: ['--stat', '--name-only', '--name-status', '--cached', '--staged'] },
  { words: ['git', 'branch'], permitted: ['-a', '--all', '-v', '-vv', '--list', '--show-current'] },
  { words: ['npm', 'test'], permitted: ['-s', '--silent'] },
  { words: ['cargo', 'check'], permitted: ['-q', '--quiet', '--release', '--workspace', '--all-targets'] },
  { words: ['cargo', 'test'], permitted: ['-q', '--quiet', '--release', '--workspace', '--no-fail-fast'] },
  { words: ['go', 'vet'], permitted: ['./...'] },
  { words: ['go', 'test'], permitted: ['./...', '-v', '-short', '-race'] },
  { words: ['pytest'], permitted: pytestArguments, takesPaths: true },
  { words: ['python', '-m', 'pytest'], permitted: pytestArguments, takesPaths: true },
  { words: ['python3', '-m', 'pytest'], permitted: pytestArguments, takesPaths: true },
]);

/** The entry of the table that permits a command, and the paths in the command. */
interface FoundEntry {
  readonly name: string;
  /** Paths that the caller must check: each must lie inside the folder after links are resolved. */
  readonly paths: readonly string[];
}

/**
 * Returns the entry that permits the command, provided that its paths are inside the folder; undefined if there is
 * none.
 */
export function findEntry(command: string): FoundEntry | undefined {
  const words = plainWords(command);
  if (!words) return undefined;
  for (const [name, entry] of Object.entries(commandTable)) {
    const paths = pathsIfPermitted(entry, words);
    if (paths) return { name, paths };
  }
  return undefined;
}

/** Describes for a person which commands the entry permits. */
export function describeEntry(name: string): string {
  const entry = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (!entry) return name;
  const paths = entry.takesPaths ? [' and paths inside the folder'] : [];
  return `${name} with nothing but ${entry.permitted.join(' ')}${paths.join('')}`;
}

/** Splits a command without shell syntax into words; undefined if it has quotes, variables, pipes or other syntax. */
function plainWords(command: string): readonly string[] | undefined {
  return /^[A-Za-z0-9_@+./:,=-]+(?: [A-Za-z0-9_@+./:,=-]+)*$/.test(command) ? command.split(' ') : undefined;
}

/** Returns the paths in a command; undefined if the entry does not permit the command. */
function pathsIfPermitted(
  { words, permitted, takesPaths = false }: CommandEntry,
  command: readonly string[],
): readonly string[] | undefined {
  const further = command.slice(words.length);
  const paths = further.filter((word) => !permitted.includes(word));
  const isPermitted =
    words.every((word, index) => command[index] === word) &&
    new Set(further).size === further.length &&
    (paths.length === 0 || (takesPaths && paths.every(isInnerPath)));
  // pytest accepts `path::test`, so the path without the test is returned as well.
  return isPermitted ? paths.flatMap((path) => [...new Set([path, path.split('::')[0] ?? path])]) : undefined;
}

/** Returns true for a relative path without `..`. Refuses `@file`, which makes a program read arguments from a file. */
const isInnerPath = (word: string): boolean => /^[^-/@=][^=]*$/.test(word) && !word.split('/').includes('..');

function entries(rows: readonly CommandEntry[]): Readonly<Record<string, CommandEntry>> {
  return Object.fromEntries(rows.map((row) => [row.words.join(' '), row]));
}
