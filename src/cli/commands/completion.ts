import { createToolPack } from '../../tools/tool-pack.js';
import { exitCodes, UsageError, usage } from './usage.js';

/** An option as `--help` describes it. */
interface Option {
  readonly name: string;
  readonly short: string | undefined;
  /** How its value is called; absent where it takes none. */
  readonly value: string | undefined;
  readonly help: string;
}

interface Words {
  readonly options: readonly Option[];
  readonly tools: readonly string[];
}

/** As the usage names them. */
const commands = [
  ...new Set(Array.from(usage.matchAll(/^(?:Usage:)? +stepwise ([a-z]+)/gm), ([, name]) => name)),
];

/** What the value of an option may be, where that is known. */
const values: Readonly<Record<string, readonly string[]>> = {
  protocol: ['text', 'xml', 'json', 'native', 'auto'],
  strategy: ['react', 'reason-act-observe'],
};
const folders: ReadonlySet<string> = new Set(['dir']);
const files: ReadonlySet<string> = new Set(['file', 'tools', 'mcp', 'save', 'resume']);

const scripts: Readonly<Record<string, (words: Words) => string>> = { bash, zsh, fish };

/** Writes a shell's completion script. Resolves to the exit code. Throws `UsageError` for a shell that is not known. */
export async function writeCompletion(shell: string | undefined): Promise<number> {
  const script = shell !== undefined && Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
  if (!script) throw new UsageError('completion needs a shell: stepwise completion bash|zsh|fish.');
  const tools = (await createToolPack(process.cwd())).map(({ name }) => name);
  process.stdout.write(script({ options: readOptions(usage), tools }));
  return exitCodes.answered;
}

/** `--help` is the one place where options are described. */
function readOptions(text: string): readonly Option[] {
  const lines = text.matchAll(/^ {2}(?:-(\w), )?--([a-z-]+)(?: ([A-Z]+))? {2,}(\S.*)$/gm);
  return [...lines].map(([, short, name = '', value, help = '']) => ({ name, short, value, help }));
}

const flagsOf = ({ name, short }: Option): readonly string[] => [
  `--${name}`,
  ...(short ? [`-${short}`] : []),
];

function bash({ options, tools }: Words): string {
  const flagsIn = (set: ReadonlySet<string>) =>
    options
      .filter(({ name }) => set.has(name))
      .flatMap(flagsOf)
      .join('|');
  const known = Object.entries(values).map(
    ([name, words]) => `    --${name}) offered='${words.join(' ')}' ;;`,
  );
  return `# stepwise completion bash > ~/.local/share/bash-completion/completions/stepwise
_stepwise() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} offered=
  case $before in
    ${flagsIn(folders)}) _stepwise_names -d "$word"; return ;;
    ${flagsIn(files)}|replay|view) _stepwise_names -f "$word"; return ;;
    tool) offered='${tools.join(' ')}' ;;
    completion) offered='bash zsh fish' ;;
${known.join('\n')}
    *)
      if [[ $word == -* ]]; then offered='${options.flatMap(flagsOf).join(' ')}'
      elif ((COMP_CWORD == 1)); then offered='${commands.join(' ')}'
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
# One a line: names have spaces. As names of files, the shell quotes them and ends folders with a slash.
_stepwise_names() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}
complete -o default -F _stepwise stepwise
`;
}

function zsh({ options, tools }: Words): string {
  const quoted = (text: string) => text.replace(/[[\]:]/g, '\\$&').replaceAll("'", "'\\''");
  const action = (name: string) => {
    if (folders.has(name)) return '_files -/';
    return files.has(name) ? '_files' : `(${values[name]?.join(' ') ?? ''})`;
  };
  const specs = options.flatMap((option) =>
    flagsOf(option).map((flag) => {
      const value = option.value ? `:${option.value}:${action(option.name)}` : '';
      return `'*${flag}[${quoted(option.help)}]${value}'`;
    }),
  );
  return `#compdef stepwise
# stepwise completion zsh > a file _stepwise in a folder of $fpath
_stepwise() {
  local -a after
  case $words[2] in
    tool) after=(${tools.join(' ')}) ;;
    completion) after=(bash zsh fish) ;;
  esac
  _arguments \\
    '1:command or task:(${commands.join(' ')})' \\
    "2:word:($after)" \\
    ${specs.join(' \\\n    ')}
}
compdef _stepwise stepwise
`;
}

function fish({ options, tools }: Words): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const lines = options.map(({ name, short, value, help }) => {
    const words = values[name] ? ` -x -a ${quoted(values[name].join(' '))}` : value ? ' -r' : '';
    return `complete -c stepwise -l ${name}${short ? ` -s ${short}` : ''}${words} -d ${quoted(help)}`;
  });
  return [
    '# stepwise completion fish > ~/.config/fish/completions/stepwise.fish',
    `complete -c stepwise -n __fish_use_subcommand -a ${quoted(commands.join(' '))}`,
    `complete -c stepwise -n '__fish_seen_subcommand_from tool' -x -a ${quoted(tools.join(' '))}`,
    "complete -c stepwise -n '__fish_seen_subcommand_from completion' -x -a 'bash zsh fish'",
    ...lines,
    '',
  ].join('\n');
}
