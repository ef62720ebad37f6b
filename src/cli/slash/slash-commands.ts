import { renderTasks } from '../../conversation/task-list.js';
import { StepwiseError } from '../../sdk/base/stepwise-error.js';
import { rulesCommand } from '../approval/rules-command.js';
import { closestWord } from '../commands/closest-word.js';
import { UsageError } from '../commands/usage.js';
import { contextPage } from '../screen/context-page.js';
import { explainFailure } from '../screen/explain-failure.js';
import { showExact, showExactLine, showText, showTextLine } from '../screen/visible-text.js';
import { describePutBack, NOTHING_CHANGED, putBackNotice } from '../session/changed-files.js';
import type { ModelChoice } from '../session/choose-model.js';
import { savedRunList } from '../session/choose-saved-run.js';
import { describeCompaction } from '../session/compact-history.js';
import type { Session } from '../session/session.js';
import { findSavedRun, saveRun } from '../state/saved-runs.js';
import { modelList, modelNames } from './model-names.js';

interface SlashCommand {
  readonly usage: string;
  readonly help: string;
  /** Returns possible arguments, for completion. */
  readonly words?: ((session: Session) => Promise<readonly string[]>) | undefined;
  /** Returns the text to print. Throws `UsageError` if the command cannot run. */
  run(host: CommandHost, words: readonly string[]): Promise<string> | string;
}

/** The session and the actions that commands can use. */
export interface CommandHost {
  readonly session: Session;
  switchModel(choice: ModelChoice): Promise<void>;
  leave(): void;
}

const commands: Readonly<Record<string, SlashCommand>> = {
  '/context': {
    usage: '/context',
    help: 'show what fills the prompt and what was left out',
    run: showContext,
  },
  '/todo': {
    usage: '/todo',
    help: 'show the TODO list',
    run: ({ session }) => showText(renderTasks(session.tasks)) || 'The TODO list is empty.',
  },
  '/steps': { usage: '/steps', help: 'show the steps of the last run', run: showSteps },
  '/diff': { usage: '/diff', help: 'show the file changes of the last task', run: showDiff },
  '/undo': { usage: '/undo', help: 'undo the file changes of the last task', run: undo },
  '/model': {
    usage: '/model [NAME [UPSTREAM]]',
    help: 'change the model; without a name, list the models',
    words: modelNames,
    run: changeModel,
  },
  '/rules': {
    usage: '/rules [remove N]',
    help: 'list what is always allowed in this folder, or remove a rule',
    words: async () => ['remove'],
    run: showRules,
  },
  '/mcp': {
    usage: '/mcp [forget SERVER]',
    help: 'list MCP servers and their tools, or withdraw consent',
    words: async () => ['forget'],
    run: showMcp,
  },
  '/compact': { usage: '/compact', help: 'shorten the history', run: compact },
  '/resume': {
    usage: '/resume [RUN]',
    help: 'continue a saved run; without a name, list them',
    run: resumeRun,
  },
  '/save': { usage: '/save [FILE]', help: 'also save the last run to a file', run: saveLastRun },
  '/new': { usage: '/new', help: 'start a new conversation', run: startNewConversation },
  '/help': { usage: '/help', help: 'show this list', run: showHelp },
  '/quit': { usage: '/quit', help: 'leave', run: leave },
};

/** Aliases that are usual in other programs. */
const aliases: Readonly<Record<string, string>> = {
  '/exit': '/quit',
  '/clear': '/new',
  '/?': '/help',
  '?': '/help',
};

export const commandNames: readonly string[] = Object.keys(commands);

/** Returns completions for the argument of a command. */
export async function commandWords(session: Session, name: string): Promise<readonly string[]> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return (await command?.words?.(session)) ?? [];
}

/** Runs a slash command and returns the text to print. */
export async function runSlashCommand(host: CommandHost, line: string): Promise<string> {
  const [given = '', ...words] = line.trim().split(/\s+/);
  const name = Object.hasOwn(aliases, given) ? (aliases[given] ?? given) : given;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return unknownCommand(name);
  try {
    return await command.run(host, words);
  } catch (error) {
    if (error instanceof StepwiseError) return explainFailure(error.toStepError());
    if (error instanceof UsageError) return showExact(error.message);
    throw error;
  }
}

function unknownCommand(name: string): string {
  const closest = closestWord(name, commandNames);
  const hint = closest ? `Did you mean ${closest}?` : '/help lists the commands.';
  return `Unknown command ${showExactLine(name)}. ${hint}`;
}

function showContext({ session }: CommandHost): string {
  const { report } = session.parts.screen;
  return report ? contextPage(report, session.parts.terminal.paint) : 'No step has run yet.';
}

function showSteps({ session }: CommandHost): string {
  return showText(session.last?.result.summary() ?? 'No task has run yet.');
}

async function showDiff({ session }: CommandHost): Promise<string> {
  const { paint } = session.parts.terminal;
  const diff = await session.parts.changes.diff();
  if (diff === '') return NOTHING_CHANGED;
  const colour = (line: string) =>
    line.startsWith('+') ? paint('green', line) : line.startsWith('-') ? paint('red', line) : line;
  const lines = showExact(diff).trimEnd().split('\n');
  const shown = lines.slice(0, MAX_DIFF_LINES).map((line) => colour(clipped(line)));
  const left = lines.length - shown.length;
  return [...shown, ...(left > 0 ? [`… ${left} more lines`] : [])].join('\n');
}

/** A generated file can have a huge diff, which would flood the terminal. */
const MAX_DIFF_LINES = 1_000;
const MAX_DIFF_LINE_CHARS = 2_000;

const clipped = (line: string): string =>
  line.length > MAX_DIFF_LINE_CHARS
    ? `${line.slice(0, MAX_DIFF_LINE_CHARS)}… (${line.length - MAX_DIFF_LINE_CHARS} more characters)`
    : line;

async function undo({ session }: CommandHost): Promise<string> {
  const files = await session.parts.changes.undo();
  if (files.length === 0) return NOTHING_CHANGED;
  await session.tell(putBackNotice(files));
  return showExact(describePutBack(files));
}

async function compact({ session }: CommandHost): Promise<string> {
  if (session.history.length === 0) return 'There is no history yet.';
  return describeCompaction(await session.compact(), '/new starts a new conversation.');
}

async function resumeRun({ session }: CommandHost, [wanted]: readonly string[]): Promise<string> {
  const { folder, terminal } = session.parts;
  if (wanted === undefined)
    return `${await savedRunList(folder, terminal.width)}\n/resume N continues run N.`;
  const saved = await findSavedRun(folder, wanted);
  session.resume(saved);
  return `Continuing: ${showTextLine(saved.task)}`;
}

async function saveLastRun({ session }: CommandHost, [file]: readonly string[]): Promise<string> {
  if (!session.last) return 'There is no run to save yet.';
  const target = file ?? session.last.file;
  try {
    await saveRun(session.last.run.save(), target);
    return `Saved to ${showExactLine(target)}.`;
  } catch (error) {
    return showExact(`The run could not be saved: ${error instanceof Error ? error.message : error}`);
  }
}

async function changeModel(host: CommandHost, [name, upstream]: readonly string[]): Promise<string> {
  if (name !== undefined) await host.switchModel({ name, upstream });
  const { model } = host.session;
  const current = showExactLine(`Model: ${model.name}${model.upstream ? ` at ${model.upstream}` : ''}`);
  return name === undefined ? `${current}\n${await modelList(host.session)}` : current;
}

function showRules({ session }: CommandHost, words: readonly string[]): Promise<string> {
  return rulesCommand(session.parts.rules, words);
}

async function showMcp({ session }: CommandHost, [verb, name]: readonly string[]): Promise<string> {
  const { mcp } = session.parts;
  if (!mcp) return NO_SERVERS;
  if (verb === undefined) return mcp.describe();
  if (verb !== 'forget' || name === undefined || !(await mcp.forget(name)))
    throw new UsageError('Use /mcp to list the servers and /mcp forget SERVER to withdraw consent for one.');
  return `Consent withdrawn; the next start asks again: ${showExactLine(name)}`;
}

const NO_SERVERS = 'No MCP servers are configured. Add them to .mcp.json in this folder or use --mcp FILE.';

function startNewConversation({ session }: CommandHost): string {
  session.clear();
  return 'Started a new conversation.';
}

function showHelp(): string {
  const lines = Object.values(commands).map(({ usage, help }) => `${usage.padEnd(26)}${help}`);
  return [...lines, ...KEYS].join('\n');
}

const KEYS = [
  '?                         show this list',
  '!COMMAND                  run a command yourself; the model reads its output',
  '@PATH                     add a file or folder to the context; PATH:10-40 adds lines 10 to 40',
  'Tab                       complete a command or a path',
  'Ctrl-J, Alt-Enter, \\      insert a line break',
  'Ctrl-R                    search the input history',
  'Ctrl-G                    edit the line in your editor',
  'Shift-Tab                 allow file edits in this session without asking; again to turn off',
  'Esc, Ctrl-C               stop the run; on an empty line twice: edit the last task, leave',
];

function leave({ leave: end }: CommandHost): string {
  end();
  return 'Goodbye.';
}
