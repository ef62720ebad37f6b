import { resultText } from '../../conversation/observation-text.js';
import { isObject } from '../base/is-object.js';
import type { ToolArguments } from './define-tool.js';

/** In characters: what a tool returns beyond this would fill any context window, and the request body too. */
const MAX_LENGTH = 100_000;

/** A tool's result as text: strings as they are, all else as JSON. Never throws, whatever the tool returned. */
export function renderObservation(result: unknown): string {
  return cap(toText(result));
}

/** What to show for whatever was thrown: an error's message, also that of another realm's error. */
export function renderError(error: unknown): string {
  const isObject = typeof error === 'object' && error !== null;
  const message = isObject && 'message' in error ? error.message : undefined;
  return cap(typeof message === 'string' && message !== '' ? message : toText(error));
}

/** The first line of an observation and how much more there is, for a list of steps. */
export function summarize(text: string): string {
  const [first = '', ...more] = text.trim().split('\n');
  const line = first.length > 100 ? `${first.slice(0, 99)}…` : first;
  return more.length > 0 ? `${line} (+${more.length} lines)` : line;
}

const EDITED = 'The user changed the arguments to ';

/** What the model reads above the result of a call whose arguments a person changed (rule: approval). */
export const noteOfEdit = (args: ToolArguments): string => `${EDITED}${JSON.stringify(args)}.\n`;

/** The arguments that such a note tells of, and what follows it; undefined where there is none. */
export function readEdit(observation: string): { args: ToolArguments; text: string } | undefined {
  const end = observation.indexOf('.\n');
  if (!observation.startsWith(EDITED) || end === -1) return undefined;
  const args = parseObject(observation.slice(EDITED.length, end));
  // JSON escapes line breaks, so the first one ends the note.
  return args && { args, text: observation.slice(end + 2) };
}

function parseObject(json: string): ToolArguments | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const toText = (value: unknown): string => (value === undefined ? 'Done.' : resultText(value));

/** Keeps the beginning and the end. */
function cap(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  const tail = MAX_LENGTH / 4;
  const head = MAX_LENGTH - tail;
  const note = `… (showing ${MAX_LENGTH} of ${text.length} characters; ask for less at a time) …`;
  return `${text.slice(0, head)}\n${note}\n${text.slice(-tail)}`;
}
