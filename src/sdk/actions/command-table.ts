/** Commands that may be allowed together: they look, or build and test what is there, and take nothing else. */
interface CommandEntry {
  /** Program and, where it has any, subcommand. */
  readonly words: readonly string[];
  /** The only further words, each at most once, in any order. */
  readonly permitted: readonly string[];
  /** Paths inside the folder may follow: only for programs that show names, never contents. */
  readonly takesPaths?: boolean;
}

/**
 * The closed table of what "always" may allow beyond the very command (rule: always-rules). A new row must not
 * be able to write outside build folders, or to run or show what its arguments name.
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

/** The row of the table that has the command, by its name; undefined if none has. */
export function entryOf(command: string): string | undefined {
  const words = plainWords(command);
  return Object.keys(commandTable).find(
    (name) => words && commandTable[name] && has(commandTable[name], words),
  );
}

/** What the row allows, in words for a person. */
export function describeEntry(name: string): string {
  const entry = Object.hasOwn(commandTable, name) ? commandTable[name] : undefined;
  if (!entry) return name;
  const paths = entry.takesPaths ? [' and paths inside the folder'] : [];
  return `${name} with nothing but ${entry.permitted.join(' ')}${paths.join('')}`;
}

/** The words of a command that a shell reads as nothing but words; undefined for any other. */
function plainWords(command: string): readonly string[] | undefined {
  return /^[A-Za-z0-9_@+./:,-]+(?: [A-Za-z0-9_@+./:,-]+)*$/.test(command) ? command.split(' ') : undefined;
}

function has({ words, permitted, takesPaths = false }: CommandEntry, command: readonly string[]): boolean {
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
