import { renderTasks } from '../../conversation/task-list.js';
import { type ApprovalRule, describeRule } from '../../sdk/actions/approval.js';
import { StepwiseError } from '../../sdk/base/stepwise-error.js';
import { closestWord } from '../commands/closest-word.js';
import { UsageError } from '../commands/usage.js';
import { contextPage } from '../screen/context-page.js';
import { showExact, showExactLine, showText, showTextLine } from '../screen/shown-text.js';
import type { ModelChoice } from '../session/choose-model.js';
import { savedRunList } from '../session/choose-saved-run.js';
import type { Session } from '../session/session.js';
import { findSavedRun, saveRun } from '../state/saved-runs.js';
import { modelList, modelNames } from './model-names.js';

interface SlashCommand {
  readonly usage: string;
  readonly help: string;
  /** What may follow, for completion. */
  readonly words?: ((session: Session) => Promise<readonly string[]>) | undefined;
  /** What to show. Throws `UsageError` where it cannot be done. */
  run(host: CommandHost, words: readonly string[]): Promise<string> | string;
}

/** What commands act on. */
export interface CommandHost {
  readonly session: Session;
  switchModel(choice: ModelChoice): Promise<void>;
  leave(): void;
}

const commands: Readonly<Record<string, SlashCommand>> = {
  '/context': { usage: '/context', help: 'what fills the prompt, and what was left out', run: showContext },
  '/todo': {
    usage: '/todo',
    help: 'the TODO list',
    run: ({ session }) => showText(renderTasks(session.tasks)) || 'No tasks.',
  },
  '/steps': { usage: '/steps', help: 'the steps of the last run', run: showSteps },
  '/diff': { usage: '/diff', help: 'what the last task changed in files', run: showDiff },
  '/undo': { usage: '/undo', help: 'put back the files that the last task changed', run: undo },
  '/model': {
    usage: '/model [NAME [UPSTREAM]]',
    help: 'change the model; alone, what there is',
    words: modelNames,
    run: changeModel,
  },
  '/rules': {
    usage: '/rules [remove N]',
    help: 'what is always allowed in this folder; takes it back',
    words: async () => ['remove'],
    run: showRules,
  },
  '/mcp': {
    usage: '/mcp [forget SERVER]',
    help: 'MCP servers and their tools; takes back what was agreed to',
    words: async () => ['forget'],
    run: showMcp,
  },
  '/compact': { usage: '/compact', help: 'shorten the history', run: compact },
  '/resume': {
    usage: '/resume [RUN]',
    help: 'go on from a saved run; alone, which there are',
    run: resumeRun,
  },
  '/save': { usage: '/save [FILE]', help: 'save the last run in a file too', run: saveLastRun },
  '/new': { usage: '/new', help: 'forget what was said', run: startAnew },
  '/help': { usage: '/help', help: 'this list', run: showHelp },
  '/quit': { usage: '/quit', help: 'leave', run: leave },
};

/** Names that other programs use. */
const aliases: Readonly<Record<string, string>> = { '/exit': '/quit', '/clear': '/new', '/?': '/help' };

/** The names of all commands. */
export const commandNames: readonly string[] = Object.keys(commands);

/** What may follow a command. */
export async function commandWords(session: Session, name: string): Promise<readonly string[]> {
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return (await command?.words?.(session)) ?? [];
}

/** Carries out a line that begins with a slash; what it resolves to is shown. */
export async function runSlashCommand(host: CommandHost, line: string): Promise<string> {
  const [given = '', ...words] = line.trim().split(/\s+/);
  const name = Object.hasOwn(aliases, given) ? (aliases[given] ?? given) : given;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return unknownCommand(name);
  try {
    return await command.run(host, words);
  } catch (error) {
    if (error instanceof UsageError || error instanceof StepwiseError) return showExact(error.message);
    throw error;
  }
}

function unknownCommand(name: string): string {
  const meant = closestWord(name, commandNames);
  const hint = meant ? `Did you mean ${meant}?` : '/help lists what there is.';
  return `There is no ${showExactLine(name)}. ${hint}`;
}

function showContext({ session }: CommandHost): string {
  const { report } = session.parts.screen;
  return report ? contextPage(report, session.parts.terminal.paint) : 'There was no step yet.';
}

function showSteps({ session }: CommandHost): string {
  return showText(session.last?.result.summary() ?? 'There was no run yet.');
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

/** A change of a file that was made by a program floods a terminal. Lines, and characters of each. */
const MAX_DIFF_LINES = 1_000;
const MAX_DIFF_LINE = 2_000;

const clipped = (line: string): string =>
  line.length > MAX_DIFF_LINE
    ? `${line.slice(0, MAX_DIFF_LINE)}… (${line.length - MAX_DIFF_LINE} more characters)`
    : line;

const NOTHING_CHANGED =
  'No task changed a file by edit_file or write_file. What commands change is not followed.';

async function undo({ session }: CommandHost): Promise<string> {
  const files = await session.parts.changes.undo();
  if (files.length === 0) return NOTHING_CHANGED;
  const lines = files.map(({ path, outcome }) => `  ${path}: ${outcome}`).join('\n');
  await session.tell(`The user took back your changes to files:\n${lines}`);
  return showExact(lines);
}

async function compact({ session }: CommandHost): Promise<string> {
  if (session.history.length === 0) return 'There is no history yet.';
  const { changed, tokens_before, tokens_after, warnings } = await session.compact();
  if (changed) return `The history takes ${tokens_after} tokens now, before ${tokens_before}.`;
  const isLong = warnings.some(({ code }) => code === 'target_not_reached');
  return isLong ? nothingToCut(tokens_before) : `The history is short already: ${tokens_before} tokens.`;
}

const nothingToCut = (tokens: number): string =>
  `Nothing of the history can be shortened: its ${tokens} tokens are tasks, answers, errors and the latest turns. /new begins another.`;

async function resumeRun({ session }: CommandHost, [wanted]: readonly string[]): Promise<string> {
  const { folder, terminal } = session.parts;
  if (wanted === undefined)
    return `${await savedRunList(folder, terminal.width)}\n/resume N goes on from one.`;
  const saved = await findSavedRun(folder, wanted);
  session.resume(saved);
  return `Goes on from: ${showTextLine(saved.task)}`;
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

async function showRules({ session }: CommandHost, [verb, number]: readonly string[]): Promise<string> {
  const { rules } = session.parts;
  const known = await rules.load();
  if (verb === undefined) return known.length === 0 ? 'Nothing is always allowed here.' : listRules(known);
  const rule = verb === 'remove' ? known[Number(number) - 1] : undefined;
  if (!rule) throw new UsageError('/rules lists them, /rules remove N takes one back.');
  await rules.remove(rule);
  return `Asked about again: ${showExactLine(describeRule(rule))}`;
}

async function showMcp({ session }: CommandHost, [verb, name]: readonly string[]): Promise<string> {
  const { mcp } = session.parts;
  if (!mcp) return NO_SERVERS;
  if (verb === undefined) return mcp.describe();
  if (verb !== 'forget' || name === undefined || !(await mcp.forget(name)))
    throw new UsageError('/mcp lists servers, /mcp forget SERVER takes back what was agreed to of one.');
  return `Asked about again at the next start: ${showExactLine(name)}`;
}

const NO_SERVERS = 'No MCP server is named: .mcp.json in the folder or --mcp FILE names them.';

const listRules = (rules: readonly ApprovalRule[]): string =>
  [
    ...rules.map((rule, index) => `  ${index + 1}. ${showExactLine(describeRule(rule))}`),
    '/rules remove N takes one back.',
  ].join('\n');

function startAnew({ session }: CommandHost): string {
  session.clear();
  return 'A new conversation.';
}

function showHelp(): string {
  const lines = Object.values(commands).map(({ usage, help }) => `${usage.padEnd(26)}${help}`);
  return [...lines, ...KEYS].join('\n');
}

const KEYS = [
  '!COMMAND                  run it yourself; the model reads what it said',
  '@PATH                     put a file or folder into the context; PATH:10-40 takes lines',
  'Tab                       complete a command or a path',
  'Ctrl-J, Alt-Enter, \\      another row',
  'Ctrl-R                    search what was typed before',
  'Ctrl-G                    write the line in your editor',
  'Shift-Tab                 allow edits of files in this session without asking, or no longer',
  'Esc, Ctrl-C               stop the run; twice on an empty line: the last task again, leave',
];

function leave({ leave: end }: CommandHost): string {
  end();
  return 'Goodbye.';
}
