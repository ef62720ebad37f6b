import { OfferedTools } from '../../arguments/offered-tool.js';
import { isAnswerName } from '../../dialects/written-call.js';
import type { ObjectScanner } from '../scanning/object-scanner.js';
import type { ScannedField } from '../scanning/scanned-strings.js';
import type { ScannedReply } from './scanned-reply.js';

type Outcomes = Pick<ScannedReply, 'scanner' | 'text' | 'start' | 'tools'>;

/** Maximum number of `action` and `final_answer` fields of one object that are read. */
const MAX_OUTCOMES = 64;

function givenOutcomes({ scanner }: Outcomes): ScannedField[] {
  const given: ScannedField[] = [];
  for (const field of scanner.fields) {
    if (given.length === MAX_OUTCOMES) break;
    if (isOutcome(field)) given.push(field);
  }
  return given;
}

const isOutcome = ({ key, first }: ScannedField): boolean =>
  (key === 'action' || key === 'final_answer') && first !== 'n';

/**
 * Returns the `action` and `final_answer` fields that may decide the reply: those with content, or all if none has any.
 */
export function outcomesOf(reply: Outcomes): ScannedField[] {
  const given = givenOutcomes(reply);
  const spoken = given.filter((field) => !isEmpty(reply, field));
  return spoken.length > 0 ? spoken : given;
}

/** Returns the `action` and `final_answer` fields without content, if there are also some with content; else none. */
export function silentOutcomes(reply: Outcomes): ScannedField[] {
  const outcomes = new Set(outcomesOf(reply));
  return givenOutcomes(reply).filter((field) => !outcomes.has(field));
}

/** Returns the field that determines the outcome: the first readable action or answer, else the first one. */
export function turnOf(reply: Outcomes): ScannedField | undefined {
  const spoken = outcomesOf(reply);
  return spoken.find((field) => isReadable(reply, field)) ?? spoken[0];
}

/** Whether a field is an answer, or an action that names an offered tool. */
function isReadable(reply: Outcomes, field: ScannedField): boolean {
  if (field.key !== 'action' || field.end === null || nestedAnswer(reply, field) !== null) return true;
  const tool = field.first === '{' ? toolNamed(reply.scanner.strings) : null;
  return tool ? isOffered(reply, tool) || isAnswerName(tool) : mentionsTool(reply, field);
}

const isOffered = ({ tools }: Outcomes, name: string): boolean =>
  tools.length === 0 || OfferedTools.of(tools).find(name) !== undefined;

/** Maximum length of an action's text that is searched for the name of a tool. */
const MAX_MENTION_LENGTH = 1024;

/** Whether an action mentions an offered tool or an answer. */
function mentionsTool({ tools, scanner, text, start }: Outcomes, field: ScannedField): boolean {
  const string = field.first === '"' ? scanner.strings.get('action') : undefined;
  const written = string ?? text.slice(start + field.start, start + (field.end ?? text.length));
  const mention = written.slice(0, MAX_MENTION_LENGTH);
  return (
    tools.length === 0 || /final_answer/i.test(mention) || tools.some(({ name }) => mention.includes(name))
  );
}

/**
 * Whether a field holds neither answer nor action: it is empty, a word such as "none", or an action that names no tool.
 */
function isEmpty(reply: Outcomes, field: ScannedField): boolean {
  const { key, first, start, end } = field;
  const { strings } = reply.scanner;
  const string = strings.get(key);
  if (first === '"' && string !== undefined) {
    if (key !== 'action') return string.trim() === '';
    return isNone(reply, string) || (end !== null && !mentionsTool(reply, field));
  }
  if (first === 'f') return true;
  if (end === null) return false;
  const written = reply.text.slice(reply.start + start, reply.start + end);
  if (/^(?:\{\s*\}|\[\s*\])\s*$/.test(written)) return true;
  if (key !== 'action' || strings.get(ANSWER_PATH)?.trim()) return false;
  const tool = first === '{' ? toolNamed(strings) : null;
  return tool === null ? !mentionsTool(reply, field) : isNone(reply, tool);
}

/** Whether a text means "no action", unless a tool has that name. */
function isNone({ tools }: Outcomes, written: string): boolean {
  const word = written.trim();
  return /^(?:|-|none|null|n\/?a|no[ _]action)$/i.test(word) && tools.every(({ name }) => name !== word);
}

type Strings = ObjectScanner['strings'];

/** Returns the name of the tool in the object `action`; null if it names none. */
function toolNamed(strings: Strings): string | null {
  const path = firstOf(toolPaths, strings);
  return path === undefined ? null : (strings.get(path) ?? null);
}

const toolPaths: readonly string[] = ['action.tool', 'action.name', 'action.tool_name'];
const ANSWER_PATH = 'action.final_answer';

/** Returns the path, out of the given ones, that comes first in the object. */
function firstOf(paths: readonly string[], strings: Strings): string | undefined {
  const there = paths.filter((path) => strings.has(path));
  if (there.length < 2) return there[0];
  for (const path of strings.keys()) if (there.includes(path)) return path;
  return undefined;
}

/**
 * Returns the answer in the object `action`; null if that object has no answer or is a call. If the object holds both a
 * tool and an answer, the one that comes first decides.
 */
export function nestedAnswer(
  reply: Pick<Outcomes, 'scanner' | 'tools' | 'text' | 'start'>,
  { key }: ScannedField,
): string | null {
  const { strings } = reply.scanner;
  const answer = key === 'action' ? strings.get(ANSWER_PATH)?.trim() : undefined;
  if (answer === undefined) return null;
  const tool = toolNamed(strings);
  if (tool === null || isNone(reply, tool)) return answer;
  return answer !== '' && firstOf([ANSWER_PATH, ...toolPaths], strings) === ANSWER_PATH ? answer : null;
}

/** Whether the object `action` holds both a tool and an answer. */
export function holdsBoth(reply: ScannedReply): boolean {
  const { strings } = reply.scanner;
  const tool = toolNamed(strings);
  return Boolean(strings.get(ANSWER_PATH)?.trim()) && tool !== null && !isNone(reply, tool);
}
