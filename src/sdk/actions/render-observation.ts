import { parseObject } from '../../conversation/is-object.js';
import { resultText } from '../../conversation/observation-text.js';
import type { ToolArguments } from './define-tool.js';

/** A longer result would fill any context window and exceed the limit of the request body. */
const MAX_RESULT_CHARS = 100_000;

/** Returns a tool's result as text of bounded length. Never throws, whatever the tool returned. */
export function renderObservation(result: unknown): string {
  return cap(toText(result));
}

/** Returns the message of a thrown value. Does not use `instanceof`, which fails for errors of another realm. */
export function renderError(error: unknown): string {
  const message =
    typeof error === 'object' && error !== null && 'message' in error ? error.message : undefined;
  if (typeof message === 'string' && message !== '') return cap(message);
  if (message === '') return withoutMessage(Object(error));
  return error === undefined || error === '' ? withoutMessage({}) : cap(toText(error));
}

/** Returns a sentence with the name and the code of the error, if they are set, as for a refused connection. */
function withoutMessage({ name, code }: { readonly name?: unknown; readonly code?: unknown }): string {
  const known = [name, code].filter((text) => typeof text === 'string' && text !== '' && text !== 'Error');
  return `It failed without a message${known.length > 0 ? ` (${known.join(', ')})` : ''}.`;
}

/** Returns the first line of an observation and the number of further lines. */
export function summarize(text: string): string {
  const [first = '', ...more] = text.trim().split('\n');
  const line = first.length > 100 ? `${first.slice(0, 99)}…` : first;
  return more.length > 0 ? `${line} (+${more.length} lines)` : line;
}

const EDITED = 'The user changed the arguments to ';

/** Returns the line that tells the model that a person changed the arguments; it precedes the result (rule: approval). */
export const editNote = (args: ToolArguments): string => `${EDITED}${JSON.stringify(args)}.\n`;

/** Splits an observation into the arguments of its edit note and the result; undefined if it has no such note. */
export function readEditNote(observation: string): { args: ToolArguments; text: string } | undefined {
  const end = observation.indexOf('.\n');
  if (!observation.startsWith(EDITED) || end === -1) return undefined;
  const args = parseObject(observation.slice(EDITED.length, end));
  // JSON escapes line breaks, so the first line break is the end of the note.
  return args && { args, text: observation.slice(end + 2) };
}

const toText = (value: unknown): string => (value === undefined ? 'Done.' : resultText(value));

/** Shortens a long text to its beginning and its end. */
function cap(text: string): string {
  if (text.length <= MAX_RESULT_CHARS) return text;
  const tail = MAX_RESULT_CHARS / 4;
  const head = MAX_RESULT_CHARS - tail;
  const note = `… (showing ${MAX_RESULT_CHARS} of ${text.length} characters; ask for less at a time) …`;
  return `${text.slice(0, head)}\n${note}\n${text.slice(-tail)}`;
}
