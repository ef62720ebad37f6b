import { stripVTControlCharacters } from 'node:util';
import { renderCall } from '../../../conversation/call-text.js';
import { clientToolNames } from '../../../sdk/actions/client-tools.js';
import type { ToolEvent } from '../../../sdk/base/tool-event.js';
import type { ActionView, RunView } from '../../../sdk/view/run-view.js';
import { columnsOf } from '../../display/columns.js';
import type { Display } from '../../display/display.js';
import type { Paint } from '../../display/paint.js';
import { clip } from '../../display/wrap.js';
import { showExact, showExactLine, showText } from '../visible-text.js';

/** Maximum number of output rows that are shown of a running call. */
const LIVE_ROWS = 5;
/** Number of characters to keep from the end of a call's output; enough to fill these rows. */
export const MAX_TAIL_CHARS = 2_000;

type RunningCall = Pick<ActionView, 'tool' | 'args' | 'output'>;

/** Shows the calls that are running, with the end of their output. */
export class RunningTools {
  readonly #display: Display;
  #running: readonly RunningCall[] = [];

  constructor(display: Display) {
    this.#display = display;
  }

  /** Replaces the displayed calls immediately. */
  show(calls: readonly RunningCall[]): void {
    this.#running = calls;
    this.#draw();
  }

  /** Replaces the displayed calls with the next frame, for calls whose output changes often. */
  showSoon(calls: readonly RunningCall[]): void {
    this.#running = calls;
    this.#display.beforeFrame(this.#draw);
  }

  readonly #draw = (): void => {
    const { paint, width } = this.#display;
    const rows = this.#running.flatMap(({ tool, args, output }) => [
      `${paint('dim', '○')} ${callLine({ toolName: tool, toolArgs: args }, { paint, width })}`,
      ...tailRows(output.slice(-MAX_TAIL_CHARS)).map((row) => paint('dim', `  ${clip(row, width - 2)}`)),
    ]);
    this.#display.show('output', rows.length > 0 ? ['', ...rows] : []);
  };
}

/** Returns the calls that are running, except calls of the run's own tools (see `isRunTool`). */
export const runningIn = ({ steps }: RunView): readonly ActionView[] =>
  (steps.at(-1)?.actions ?? []).filter(
    ({ state, tool }) => state === 'running' && !isRunTool({ toolName: tool }),
  );

/** Returns the last rows as a terminal would show them: a carriage return overwrites what precedes it. */
function tailRows(tail: string): readonly string[] {
  const lines = stripVTControlCharacters(tail).trimEnd().split(/\r?\n/);
  const rows = lines.map((line) => showText(line.slice(line.lastIndexOf('\r') + 1)).replaceAll('\t', '  '));
  return rows.filter((row) => row.trim() !== '').slice(-LIVE_ROWS);
}

/** Name and arguments of a call. */
type Call = Pick<ToolEvent, 'toolName' | 'toolArgs'>;

/** Renders a call in one row: `read_file(path="a.ts")`. */
export function callLine({ toolName, toolArgs }: Call, view: { paint: Paint; width: number }): string {
  const name = showExactLine(toolName);
  const args = showExactLine(renderCall('', toolArgs));
  return view.paint('bold', name) + clip(args, view.width - columnsOf(name) - 3);
}

/** Returns true for the run's own tools (TODO list, question), whose effects are displayed elsewhere. */
export const isRunTool = ({ toolName }: Pick<Call, 'toolName'>): boolean =>
  (clientToolNames as readonly string[]).includes(toolName);

const activities: Readonly<Record<string, readonly [verb: string, argument: string]>> = {
  read_file: ['Reading', 'path'],
  list_files: ['Listing', 'path'],
  get_file_tree: ['Looking around', ''],
  search_code: ['Searching for', 'pattern'],
  find_definition: ['Looking for', 'symbol'],
  search_memory: ['Remembering', 'query'],
  write_file: ['Writing', 'path'],
  edit_file: ['Editing', 'path'],
  run_command: ['Running', 'command'],
  find_tools: ['Finding tools:', 'query'],
};

/** Describes a call: `Reading src/a.ts`, `Running npm test`. */
export function activityOf({ toolName, toolArgs }: Call): string {
  const [verb, argument] = Object.hasOwn(activities, toolName) ? (activities[toolName] ?? []) : [];
  const [first = ''] = showExact(String(toolArgs[argument ?? ''] ?? ''))
    .trim()
    .split('\n');
  return verb === undefined ? `Running ${showExactLine(toolName)}` : `${verb} ${first}`.trim();
}
