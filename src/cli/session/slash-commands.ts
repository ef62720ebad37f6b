import { renderTasks } from '../../conversation/task-list.js';
import { type ApprovalRule, describeRule } from '../../sdk/actions/approval.js';
import { StepwiseError } from '../../sdk/client/stepwise-error.js';
import { UsageError } from '../commands/usage.js';
import { contextPage } from '../screen/context-page.js';
import { showExact, showExactLine, showText } from '../screen/shown-text.js';
import type { ModelChoice } from './choose-model.js';
import { saveRun } from './saved-runs.js';
import type { Session } from './session.js';

interface SlashCommand {
  readonly usage: string;
  readonly help: string;
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
  '/save': {
    usage: '/save [FILE]',
    help: 'save the last run (default: among your own files)',
    run: saveLastRun,
  },
  '/model': { usage: '/model [NAME [UPSTREAM]]', help: 'show or change the model', run: changeModel },
  '/rules': {
    usage: '/rules [remove N]',
    help: 'what is always allowed in this folder; takes it back',
    run: showRules,
  },
  '/new': { usage: '/new', help: 'forget what was said', run: startAnew },
  '/help': { usage: '/help', help: 'this list', run: showHelp },
  '/exit': { usage: '/exit', help: 'leave', run: leave },
};

/** Carries out a line that begins with a slash; what it resolves to is shown. */
export async function runSlashCommand(host: CommandHost, line: string): Promise<string> {
  const [name = '', ...words] = line.trim().split(/\s+/);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) return `There is no ${showExactLine(name)}; /help lists what there is.`;
  try {
    return await command.run(host, words);
  } catch (error) {
    if (error instanceof UsageError || error instanceof StepwiseError) return showExact(error.message);
    throw error;
  }
}

function showContext({ session }: CommandHost): string {
  const { report } = session.parts.screen;
  return report ? contextPage(report, session.parts.terminal.paint) : 'There was no step yet.';
}

function showSteps({ session }: CommandHost): string {
  return showText(session.last?.result.summary() ?? 'There was no run yet.');
}

async function saveLastRun({ session }: CommandHost, [file]: readonly string[]): Promise<string> {
  if (!session.last) return 'There is no run to save yet.';
  try {
    const { folder } = session.parts;
    const saved = await saveRun(session.last.run.save(), { folder, ...(file && { file }) });
    return `Saved to ${showExactLine(saved)}.`;
  } catch (error) {
    return showExact(`The run could not be saved: ${error instanceof Error ? error.message : error}`);
  }
}

async function changeModel(host: CommandHost, [name, upstream]: readonly string[]): Promise<string> {
  if (name !== undefined) await host.switchModel({ name, upstream });
  const { model } = host.session;
  return showExactLine(`Model: ${model.name}${model.upstream ? ` at ${model.upstream}` : ''}`);
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

const listRules = (rules: readonly ApprovalRule[]): string =>
  rules.map((rule, index) => `  ${index + 1}. ${showExactLine(describeRule(rule))}`).join('\n');

function startAnew({ session }: CommandHost): string {
  session.clear();
  return 'A new conversation.';
}

function showHelp(): string {
  const lines = Object.values(commands).map(({ usage, help }) => `${usage.padEnd(26)}${help}`);
  return [
    ...lines,
    '@PATH in a task tags a file; Esc stops a run, and the next line goes on from there.',
  ].join('\n');
}

function leave({ leave: end }: CommandHost): string {
  end();
  return 'Goodbye.';
}
