import { isAbsolute, relative, resolve } from 'node:path';
import type { ToolCall, ToolCallContent, ToolCallLocation, ToolKind } from '@agentclientprotocol/sdk';
import type { ToolEvent } from '../../../sdk/run/run-events.js';
import type { ChangedFile } from '../../../tools/folder/folder.js';
import { wordsFor } from '../../screen/live/running-tools.js';
import { showExactLine, showText } from '../../screen/shown-text.js';

/** What editors choose an icon by. */
const kinds: ReadonlyMap<string, ToolKind> = new Map([
  ['read_file', 'read'],
  ['list_files', 'search'],
  ['get_file_tree', 'search'],
  ['search_code', 'search'],
  ['find_definition', 'search'],
  ['search_memory', 'search'],
  ['write_file', 'edit'],
  ['edit_file', 'edit'],
  ['run_command', 'execute'],
]);

/** In characters. */
const MAX_TITLE = 200;
/** In characters: what an editor shows of an observation; the model reads all of it. */
const MAX_SHOWN = 20_000;

/** A call as an editor shows it, before anything came of it. `folder` is the real path that its paths are relative to. */
export function describeCall(
  call: ToolEvent,
  folder: string,
): Required<Pick<ToolCall, 'title' | 'kind' | 'locations' | 'rawInput'>> & Pick<ToolCall, 'name'> {
  const title = showExactLine(wordsFor(call));
  return {
    title: title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE)}…` : title,
    name: call.tool_name,
    kind: kinds.get(call.tool_name) ?? 'other',
    locations: locationsOf(call, folder),
    rawInput: call.tool_args,
  };
}

/** The file that a call is about, where it is one of the folder. */
function locationsOf({ tool_args: { path, start_line } }: ToolEvent, folder: string): ToolCallLocation[] {
  if (typeof path !== 'string') return [];
  const absolute = resolve(folder, path);
  const inside = relative(folder, absolute);
  if (inside.startsWith('..') || isAbsolute(inside)) return [];
  return [{ path: absolute, ...(Number.isInteger(start_line) && { line: Number(start_line) }) }];
}

/** A text of a tool's: not Markdown, so it stands in a fence that nothing in it closes. */
export function plainContent(text: string): ToolCallContent[] {
  const shown = showText(text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}\n…` : text);
  const runs = shown.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(Math.max(2, ...runs.map(({ length }) => length)) + 1);
  return [{ type: 'content', content: { type: 'text', text: `${fence}\n${shown}\n${fence}` } }];
}

/** A change as editors compare it; exact, for the person decides by it. */
export const diffContent = ({ path, before, after }: ChangedFile, folder: string): ToolCallContent[] => [
  { type: 'diff', path: resolve(folder, path), oldText: before ?? null, newText: after },
];
