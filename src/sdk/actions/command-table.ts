/** Commands that one rule may allow: they only list, build or test, and accept only the listed arguments. */
interface CommandEntry {
  /** The program and its subcommand, if it has one. */
  readonly words: readonly string[];
  /** Permitted arguments: each at most once, in any order. */
  readonly permitted: readonly string[];
  /** True if paths inside the folder may follow; only for programs that print names and never contents. */
  readonly takesPaths?: boolean;
}

/**
 * The commands that the decision "always" may allow as a group (rule: always-rules). The arguments of a new row must not
 * make the program write outside build folders, run another program, or print the contents of a file.
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
]);

/** Returns the name of the row that permits the command; undefined if no row does. */
export function entryOf(command: string): string | undefined {
  const words = plainWords(command);
  return Object.keys(commandTable).find(
    (name) => words && commandTable[name] && permits(commandTable[name], words),
  );
}

/** Describes for a person which commands the row permits. */
export function describeEntry(name: string): string {
  const entry = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (!entry) return name;
  const paths = entry.takesPaths ? [' and paths inside the folder'] : [];
  return `${name} with nothing but ${entry.permitted.join(' ')}${paths.join('')}`;
}

/** Splits a command without shell syntax into words; undefined if it has quotes, variables, pipes or other syntax. */
function plainWords(command: string): readonly string[] | undefined {
  return /^[A-Za-z0-9_@+./:,-]+(?: [A-Za-z0-9_@+./:,-]+)*$/.test(command) ? command.split(' ') : undefined;
}

function permits(
  { words, permitted, takesPaths = false }: CommandEntry,
  command: readonly string[],
): boolean {
  const further = command.slice(words.length);
  return (
    words.every((word, index) => command[index] === word) &&
    new Set(further).size === further.length &&
    further.every((word) => permitted.includes(word) || (takesPaths && isInnerPath(word)))
  );
}

const isInnerPath = (word: string): boolean => /^[^-/]/.test(word) && !word.split('/').includes('..');

function entries(rows: readonly CommandEntry[]): Readonly<Record<string, CommandEntry>> {
  return Object.fromEntries(rows.map((row) => [row.words.join(' '), row]));
}
