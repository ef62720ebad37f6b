import { z } from 'zod';
import { jsonObject, optional } from '../../contract/fields.js';
import { requireAnswerSchema } from '../step/answer-schema.js';
import { sameValue } from '../step/history/json-values.js';
import type { StepResult } from '../step/react-step.js';
import { jsonTextIn, roundedValuesIn } from '../step/reply/typed-answer.js';
import { refused } from './read-fields.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The format of the answer that a request asks for, in the fields that all compatible APIs have. */
export const answerFormatSchema = z.object({ type: z.string(), schema: optional(jsonObject) });

/** The schema for requests that ask for JSON without sending a schema. */
const anyObject: JsonSchema = { type: 'object' };

/**
 * Returns the JSON Schema of the answer; undefined if the answer is text. Throws `StepRefused`, which names the field
 * at `path`, if the format or its schema cannot be used (rule: compatible-answer-formats).
 */
export function readAnswerFormat(
  format: z.output<typeof answerFormatSchema> | undefined,
  path: readonly string[],
): JsonSchema | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  const { type, schema } = format;
  if (type !== 'json_schema' && type !== 'json_object')
    throw refused([...path, 'type'], 'expected "text", "json_schema" or "json_object"');
  if (schema) requireAnswerSchema(schema, [...path, 'schema']);
  return schema ?? anyObject;
}

/**
 * Returns the text and the reasoning of a reply to a request for JSON. If the answer fits the schema, the text is
 * only its JSON, because a program reads it; otherwise it is the text that the model wrote. The thought is appended
 * to the reasoning, also beside calls: the vendors' clients parse every text as JSON, and throw on any other.
 */
export function typedTextOf({ thought, direct_response: written, answer, parse, reasoning }: StepResult): {
  readonly text: string;
  readonly reasoning: string;
} {
  const isAnswer = parse?.outcome === 'answer' && parse.problem === null;
  return {
    text: isAnswer ? jsonOf(answer, written ?? '') : (written ?? ''),
    reasoning: [reasoning, thought].filter(Boolean).join('\n\n'),
  };
}

/** Returns an answer as JSON text: as the model wrote it if its numbers would be rounded otherwise. */
function jsonOf(answer: unknown, written: string): string {
  const isRounded = roundedValuesIn(written).some((value) => sameValue(value, answer));
  return isRounded ? jsonTextIn(written) : JSON.stringify(answer);
}
