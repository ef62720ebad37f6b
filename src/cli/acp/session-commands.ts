import type { AvailableCommand, ContentBlock } from '@agentclientprotocol/sdk';
import type { Compaction } from '../../contract/compaction.js';
import type { ContextReport } from '../../contract/context-report.js';
import type { ApprovalRules } from '../approval/approval-rules.js';
import { rulesCommand } from '../approval/rules-command.js';
import { plain } from '../display/paint.js';
import { contextPage } from '../screen/context-page.js';
import { showExact } from '../screen/visible-text.js';
import {
  type ChangedFiles,
  describePutBack,
  NOTHING_CHANGED,
  putBackNotice,
} from '../session/changed-files.js';
import { describeCompaction } from '../session/compact-history.js';

/** The parts of a session that its slash commands use. */
export interface CommandHost {
  readonly rules: ApprovalRules;
  /** The context report of the newest step. */
  readonly report: ContextReport | undefined;
  readonly changes: ChangedFiles;
  /** Adds a notice that the model reads with the next task. */
  tell(notice: string): Promise<void>;
  /** Shortens the history; undefined if there is none yet. */
  compact(): Promise<Compaction | undefined>;
  /** Returns the name of the current model, and the names that `setModel` accepts. */
  models(): Promise<{ readonly current: string; readonly all: readonly string[] }>;
  setModel(name: string): Promise<void>;
}

interface SessionCommand {
  readonly description: string;
  /** Describes the words that may follow the command's name. */
  readonly hint?: string;
  /** Returns the text to show. Throws `UsageError` or `RequestError` if the command cannot run. */
  run(host: CommandHost, words: readonly string[]): Promise<string> | string;
}

/** Slash commands of the terminal that also exist in an editor, because editors have no button for them. */
const commands: Readonly<Record<string, SessionCommand>> = {
  compact: { description: 'Shorten the history of this session', run: compact },
  context: {
    description: 'Show what fills the prompt and what was left out',
    run: ({ report }) => (report ? contextPage(report, plain) : 'No step has run yet.'),
  },
  diff: {
    description: 'Show the file changes of the last task',
    run: async ({ changes }) => showExact((await changes.diff()).trimEnd()) || NOTHING_CHANGED,
  },
  undo: { description: 'Undo the file changes of the last task', run: undo },
  model: {
    description: 'Change the model; without a name, list the models',
    hint: 'name of the model',
    run: changeModel,
  },
  rules: {
    description: 'List what is always allowed in this folder, or remove a rule',
    hint: 'remove N',
    run: ({ rules }, words) => rulesCommand(rules, words),
  },
  help: { description: 'List the commands', run: listCommands },
};

/** The commands in the format of the protocol. */
export const availableCommands: readonly AvailableCommand[] = Object.entries(commands).map(
  ([name, { description, hint }]) => ({ name, description, ...(hint !== undefined && { input: { hint } }) }),
);

/** A slash command that was read from a prompt and is ready to run. */
export type CalledCommand = (host: CommandHost) => Promise<string> | string;

/**
 * Returns the command that a prompt calls, or undefined if the prompt is a task. Only a single text that begins with the
 * name of a command calls it, so that a task can begin with a path such as `/usr/bin`, and attached files are never
 * ignored.
 */
export function readCommand(blocks: readonly ContentBlock[]): CalledCommand | undefined {
  const [block, ...others] = blocks;
  if (block?.type !== 'text' || others.length > 0) return undefined;
  const [called = '', ...words] = block.text.trim().split(/\s+/);
  const name = called.slice(1);
  const command = called.startsWith('/') && Object.hasOwn(commands, name) ? commands[name] : undefined;
  return command && ((host) => command.run(host, words));
}

async function compact(host: CommandHost): Promise<string> {
  const compaction = await host.compact();
  if (!compaction) return 'There is no history yet.';
  return describeCompaction(compaction, 'A new session starts a new conversation.');
}

async function undo({ changes, tell }: CommandHost): Promise<string> {
  const files = await changes.undo();
  if (files.length === 0) return NOTHING_CHANGED;
  await tell(putBackNotice(files));
  return showExact(describePutBack(files));
}

async function changeModel(host: CommandHost, words: readonly string[]): Promise<string> {
  if (words.length > 0) await host.setModel(words.join(' '));
  const { current, all } = await host.models();
  return [`Model: ${current}`, ...(words.length > 0 ? [] : all.map((name) => `  ${name}`))].join('\n');
}

function listCommands(): string {
  const lines = Object.entries(commands).map(
    ([name, { description, hint }]) => `/${hint ? `${name} [${hint}]` : name}: ${description}`,
  );
  return lines.join('\n');
}
