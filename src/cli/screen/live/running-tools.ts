import { stripVTControlCharacters } from 'node:util';
import { renderCall } from '../../../conversation/call-text.js';
import { clientToolNames } from '../../../sdk/actions/client-tools.js';
import type { ToolEvent } from '../../../sdk/run/run-events.js';
import { columnsOf } from '../../display/columns.js';
import type { Display } from '../../display/display.js';
import type { Paint } from '../../display/paint.js';
import { clip } from '../../display/wrap.js';
import { showExact, showExactLine, showText } from '../shown-text.js';

/** Rows of a command's output that are shown while it runs. */
const LIVE_ROWS = 5;
/** In characters: more than fills these rows. */
const MAX_TAIL = 2_000;

/** The calls that are being carried out, with the end of what they say. */
export class RunningTools {
  readonly #display: Display;
  readonly #running = new Map<string, { readonly call: ToolEvent; tail: string }>();

  constructor(display: Display) {
    this.#display = display;
  }

  start(call: ToolEvent): void {
    this.#running.set(call.id, { call, tail: '' });
    this.#draw();
  }

  tell({ id }: ToolEvent, piece: string): void {
    const running = this.#running.get(id);
    if (!running) return;
    running.tail = (running.tail + piece).slice(-MAX_TAIL);
    this.#display.beforeFrame(this.#draw);
  }

  end({ id }: ToolEvent): void {
    if (this.#running.delete(id)) this.#draw();
  }

  clear(): void {
    this.#running.clear();
    this.#draw();
  }

  readonly #draw = (): void => {
    const { paint, width } = this.#display;
    const rows = [...this.#running.values()].flatMap(({ call, tail }) => [
      `${paint('dim', '○')} ${callLine(call, { paint, width })}`,
      ...tailRows(tail).map((row) => paint('dim', `  ${clip(row, width - 2)}`)),
    ]);
    this.#display.show('output', rows.length > 0 ? ['', ...rows] : []);
  };
}

/** The last rows as a terminal would show them: what a carriage return goes back over is not there. */
function tailRows(tail: string): readonly string[] {
  const lines = stripVTControlCharacters(tail).trimEnd().split(/\r?\n/);
  const rows = lines.map((line) => showText(line.slice(line.lastIndexOf('\r') + 1)).replaceAll('\t', '  '));
  return rows.filter((row) => row.trim() !== '').slice(-LIVE_ROWS);
}

/** A call in a row: `read_file(path="a.ts")`. */
export function callLine({ tool_name, tool_args }: ToolEvent, view: { paint: Paint; width: number }): string {
  const name = showExactLine(tool_name);
  const args = showExactLine(renderCall('', tool_args));
  return view.paint('bold', name) + clip(args, view.width - columnsOf(name) - 3);
}

/** The run's own tools show what they do by themselves: the TODO list, the question. */
export const isOwn = ({ tool_name }: ToolEvent): boolean =>
  (clientToolNames as readonly string[]).includes(tool_name);

const doing: Readonly<Record<string, readonly [verb: string, argument: string]>> = {
  read_file: ['Reading', 'path'],
  list_files: ['Listing', 'path'],
  get_file_tree: ['Looking around', ''],
  search_code: ['Searching for', 'pattern'],
  find_definition: ['Looking for', 'symbol'],
  search_memory: ['Remembering', 'query'],
  write_file: ['Writing', 'path'],
  edit_file: ['Editing', 'path'],
  run_command: ['Running', 'command'],
};

/** What a call is about, in words: `Reading src/a.ts`, `Running npm test`. */
export function wordsFor({ tool_name, tool_args }: ToolEvent): string {
  const [verb, argument] = Object.hasOwn(doing, tool_name) ? (doing[tool_name] ?? []) : [];
  const [first = ''] = showExact(String(tool_args[argument ?? ''] ?? ''))
    .trim()
    .split('\n');
  return verb === undefined ? `Running ${showExactLine(tool_name)}` : `${verb} ${first}`.trim();
}
