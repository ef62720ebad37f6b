import { readExactJson } from '../../text/exact-json.js';
import { isJsonObject, type JsonValue } from '../../text/scanner.js';
import type { ScannedField } from '../scanning/scanned-strings.js';
import { answered } from './completions.js';
import { turnOf } from './outcomes.js';
import type { ReadAction } from './read-action.js';
import { endOf, type ScannedReply } from './scanned-reply.js';

/** An answer as written: its field, its text, and its value if it is complete and valid JSON. */
interface WrittenAnswer {
  readonly turn: ScannedField;
  readonly text: string;
  readonly value: JsonValue | undefined;
}

/**
 * Reads the answer of a reply whose `final_answer` is a JSON value of any type, so that null, false and empty values
 * are answers too (rule: typed-answers). Undefined if the reply is an action or has no answer.
 */
export function readJsonAnswer(reply: ScannedReply): ReadAction | undefined {
  const written = writtenAnswer(reply);
  if (!written) return undefined;
  const { turn, text, value } = written;
  const common = {
    ...answered(reply, text, turn),
    answerLabelled: true,
    action: null,
    dialect: null,
  } as const;
  return { ...common, outcome: 'answer', answer: text, problem: null, answerValue: value };
}

function writtenAnswer(reply: ScannedReply): WrittenAnswer | undefined {
  const turn = turnOf(reply);
  if (turn?.key === 'action') return nestedAnswer(reply, turn);
  const field = turn ?? reply.scanner.fields.find(({ key }) => key === 'final_answer');
  if (!field) return undefined;
  const string = field.first === '"' ? reply.scanner.strings.get('final_answer') : undefined;
  if (string !== undefined) return { turn: field, text: string.trim(), value: completeValue(field, string) };
  const text = textOf(reply, field).trim();
  return { turn: field, text, value: completeValue(field, readExactJson(text).value) };
}

/** Matches an action that is only an answer: `{"action": {"final_answer": …}}`. */
const nested = /^\{\s*"final_answer"\s*:/;

function nestedAnswer(reply: ScannedReply, turn: ScannedField): WrittenAnswer | undefined {
  const written = textOf(reply, turn);
  const opening = nested.exec(written);
  if (!opening) return undefined;
  const action = readExactJson(written).value;
  const hasOne = isJsonObject(action) && Object.keys(action).length === 1;
  const value = hasOne ? completeValue(turn, action['final_answer']) : undefined;
  if (typeof value === 'string') return { turn, text: value.trim(), value };
  const end = turn.end === null ? written.length : written.lastIndexOf('}');
  return { turn, text: written.slice(opening[0].length, end).trim(), value };
}

/** Returns the value of a complete field; undefined for a field that was cut off. */
const completeValue = ({ end }: ScannedField, value: JsonValue | undefined): JsonValue | undefined =>
  end === null ? undefined : value;

const textOf = (reply: ScannedReply, { start, end }: ScannedField): string =>
  reply.text.slice(reply.start + start, end === null ? endOf(reply) : reply.start + end);
