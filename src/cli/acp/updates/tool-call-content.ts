import { isAbsolute, relative, resolve } from 'node:path';
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import { renderCall } from '../../../conversation/call-text.js';
import type { ToolEvent } from '../../../sdk/base/tool-event.js';
import type { ChangedFile } from '../../../tools/folder/folder.js';
import { activityOf } from '../../screen/live/running-tools.js';
import { showExact, showExactLine, showText } from '../../screen/visible-text.js';

/** ACP kinds of our tools; editors choose an icon by kind. */
const toolKinds: ReadonlyMap<string, ToolKind> = new Map([
  ['read_file', 'read'],
  ['list_files', 'search'],
  ['get_file_tree', 'search'],
  ['search_code', 'search'],
  ['find_definition', 'search'],
  ['search_memory', 'search'],
  ['find_tools', 'search'],
  ['write_file', 'edit'],
  ['edit_file', 'edit'],
  ['run_command', 'execute'],
]);

const MAX_TITLE_CHARS = 200;
/** Maximum number of characters that the editor shows of a result. The model reads the whole result. */
const MAX_CONTENT_CHARS = 20_000;

/** Describes a call for an editor before it runs. Paths are relative to `folder`, a real path. */
export function describeCall(
  call: ToolEvent,
  folder: string,
): Required<Pick<ToolCall, 'title' | 'kind' | 'locations' | 'rawInput'>> & Pick<ToolCall, 'name'> {
  return {
    title: titleOf(call),
    name: call.toolName,
    kind: toolKinds.get(call.toolName) ?? 'other',
    locations: locationsOf(call, folder),
    rawInput: call.toolArgs,
  };
}

/** Describes a call: a command by all of its lines, a tool of an MCP server by its name and arguments. */
function titleOf(call: ToolEvent): string {
  const { toolName, toolArgs } = call;
  const command = toolName === 'run_command' ? toolArgs['command'] : undefined;
  if (typeof command === 'string')
    return shortTitle(`Running ${showExact(command).trim().replaceAll('\n', ' ⏎ ')}`);
  return shortTitle(toolKinds.has(toolName) ? activityOf(call) : renderCall(toolName, toolArgs));
}

/** Cuts a title in its middle, since the end of a command or call matters as much as its beginning. */
function shortTitle(text: string): string {
  const title = [...showExactLine(text)];
  if (title.length <= MAX_TITLE_CHARS) return title.join('');
  const half = MAX_TITLE_CHARS / 2;
  return `${title.slice(0, half).join('')} … ${title.slice(-half).join('')}`;
}

/** Returns the file that a call is about, if it is inside the folder. */
function locationsOf({ toolArgs: { path, start_line } }: ToolEvent, folder: string): ToolCallLocation[] {
  if (typeof path !== 'string') return [];
  const absolute = resolve(folder, path);
  const inside = relative(folder, absolute);
  if (inside.startsWith('..') || isAbsolute(inside)) return [];
  return [{ path: absolute, ...(Number.isInteger(start_line) && { line: Number(start_line) }) }];
}

/** Returns a text as the content of a call. Keeps only the beginning of a long text. */
export function plainContent(text: string): ToolCallContent[] {
  const shown = showText(text.length > MAX_CONTENT_CHARS ? `${text.slice(0, MAX_CONTENT_CHARS)}\n…` : text);
  return [{ type: 'content', content: { type: 'text', text: fenced(shown) } }];
}

/** Wraps text in a code fence, longer than any fence inside, so that editors do not render it as Markdown. */
export function fenced(text: string): string {
  const runs = text.match(/`{3,}/g) ?? [];
  const longest = runs.reduce((most, { length }) => Math.max(most, length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Returns a change as a diff with the exact texts, since the person decides on the basis of them. */
export const diffContent = ({ path, before, after }: ChangedFile, folder: string): ToolCallContent[] => [
  { type: 'diff', path: resolve(folder, path), oldText: before ?? null, newText: after },
];
