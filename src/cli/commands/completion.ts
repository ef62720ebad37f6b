import type { Command, Option } from 'commander';
import { createToolPack } from '../../tools/tool-pack.js';
import { declareProgram, everyOption } from './declared-commands.js';
import { exitCodes, UsageError } from './usage.js';

const FOLDERS = /<FOLDER>/;
const FILES = /[<[](?:FILE|PATH|MODULE|RUN)[\]>]/;

/** The declared program, and the names of the tools that `stepwise tool` runs. */
interface Source {
  readonly program: Command;
  readonly tools: readonly string[];
}

const scripts = { bash, zsh, fish };
const shells = Object.keys(scripts);

/** Writes a shell's completion script. Resolves to the exit code. Throws `UsageError` for another shell. */
export async function writeCompletion(shell: string | undefined): Promise<number> {
  if (shell !== 'bash' && shell !== 'zsh' && shell !== 'fish')
    throw new UsageError(`completion needs a shell: stepwise completion ${shells.join('|')}.`);
  const tools = (await createToolPack(process.cwd())).map(({ name }) => name);
  process.stdout.write(scripts[shell]({ program: declareProgram(), tools }));
  return exitCodes.answered;
}

const namesOf = ({ commands }: Command) => commands.map((command) => command.name());

const flagsOf = ({ long, short }: Option): string[] => [long, short].flatMap((flag) => flag ?? []);

/** Returns the commands whose argument is a file or a folder. */
const commandsWithFile = ({ commands }: Command): string[] =>
  commands
    .filter(({ registeredArguments }) =>
      registeredArguments.some((argument) => /^(?:FILE|PATH)$/.test(argument.name())),
    )
    .map((command) => command.name());

function bash({ program, tools }: Source): string {
  const valued = everyOption(program).filter(({ optional }) => optional);
  const flagsWith = (pattern: RegExp) => valued.filter(({ flags }) => pattern.test(flags)).flatMap(flagsOf);
  const choices = valued.flatMap((option) =>
    option.argChoices
      ? [`    ${flagsOf(option).join('|')}) offered='${option.argChoices.join(' ')}' ;;`]
      : [],
  );
  const flagsOfCommand = ({ options }: Command) => `offered='${options.flatMap(flagsOf).join(' ')}'`;
  const own = program.commands.map((command) => `          ${command.name()}) ${flagsOfCommand(command)} ;;`);
  return `# stepwise completion bash > ~/.local/share/bash-completion/completions/stepwise
_stepwise() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} offered=
  case $before in
    ${flagsWith(FOLDERS).join('|')}) _stepwise_names -d "$word"; return ;;
    ${[...flagsWith(FILES), ...commandsWithFile(program)].join('|')}) _stepwise_names -f "$word"; return ;;
    tool) offered='${tools.join(' ')}' ;;
    completion) offered='${shells.join(' ')}' ;;
${choices.join('\n')}
    *)
      if [[ $word == -* ]]; then
        case \${COMP_WORDS[1]} in
${own.join('\n')}
          *) ${flagsOfCommand(program)} ;;
        esac
      elif ((COMP_CWORD == 1)); then offered='${namesOf(program).join(' ')}'
      fi ;;
  esac
  COMPREPLY=($(compgen -W "$offered" -- "$word"))
}
# One name per line, because names contain spaces. The shell quotes file names and ends folders with a slash.
_stepwise_names() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$1" -- "$2"))
}
complete -o default -F _stepwise stepwise
`;
}

function zsh({ program, tools }: Source): string {
  const quoted = (text: string) => text.replace(/[[\]:]/g, '\\$&').replaceAll("'", "'\\''");
  const action = ({ flags, argChoices = [] }: Option) => {
    if (FOLDERS.test(flags)) return '_files -/';
    return FILES.test(flags) ? '_files' : `(${argChoices.join(' ')})`;
  };
  const specsOf = ({ options }: Command) =>
    options.flatMap((option) =>
      flagsOf(option).map((flag) => {
        const value = option.optional ? `:value:${action(option)}` : '';
        return `'*${flag}[${quoted(option.description)}]${value}'`;
      }),
    );
  const secondOf = (name: string) => {
    if (name === 'tool') return [`'2:tool:(${tools.join(' ')})'`];
    if (name === 'completion') return [`'2:shell:(${shells.join(' ')})'`];
    return commandsWithFile(program).includes(name) ? ["'2:file:_files'"] : [];
  };
  const specs = (words: readonly string[]) => `specs=(\n      ${words.join('\n      ')}\n    ) ;;`;
  const own = program.commands.map(
    (command) => `    ${command.name()}) ${specs([...secondOf(command.name()), ...specsOf(command)])}`,
  );
  return `#compdef stepwise
# stepwise completion zsh > a file _stepwise in a folder of $fpath
_stepwise() {
  local -a specs
  case $words[2] in
${own.join('\n')}
    *) ${specs(specsOf(program))}
  esac
  _arguments '1:command or task:(${namesOf(program).join(' ')})' $specs
}
compdef _stepwise stepwise
`;
}

function fish({ program, tools }: Source): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const names = namesOf(program).join(' ');
  const after = (name: string) => `-n '__fish_seen_subcommand_from ${name}'`;
  const linesOf = ({ options }: Command, condition: string) =>
    options.map(({ long = '', short, description, argChoices, ...option }) => {
      const words = argChoices ? ` -x -a ${quoted(argChoices.join(' '))}` : option.optional ? ' -r' : '';
      const letter = short ? ` -s ${short.slice(1)}` : '';
      return `complete -c stepwise ${condition} -l ${long.slice(2)}${letter}${words} -d ${quoted(description)}`;
    });
  return [
    '# stepwise completion fish > ~/.config/fish/completions/stepwise.fish',
    `complete -c stepwise -n __fish_use_subcommand -a ${quoted(names)}`,
    `complete -c stepwise ${after('tool')} -x -a ${quoted(tools.join(' '))}`,
    `complete -c stepwise ${after('completion')} -x -a ${quoted(shells.join(' '))}`,
    ...linesOf(program, `-n 'not __fish_seen_subcommand_from ${names}'`),
    ...program.commands.flatMap((command) => linesOf(command, after(command.name()))),
    '',
  ].join('\n');
}
