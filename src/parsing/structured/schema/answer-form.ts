import type { JsonValue, Scanner } from '../../text/scanner.js';
import { convertValueSchema } from './convert-schema.js';
import {
  anything,
  type Image,
  jsonText,
  nullableImage,
  plainImage,
  restored,
  type SchemaObject,
} from './image.js';
import type { SchemaDialect, SchemaSize } from './schema-dialect.js';
import { MAX_SCHEMA_LENGTH, Total } from './schema-size.js';

/**
 * The form of the final answer in a schema dialect: the converted schema, and the conversion of an answer back (rule:
 * typed-answers).
 */
export interface AnswerForm {
  readonly image: Image;
  readonly size: Partial<SchemaSize>;
  /** Paths of the values that have no schema; `''` stands for the whole answer. */
  readonly free: readonly string[];
}

/**
 * Converts an answer back to the caller's schema; undefined if the answer does not match the converted schema, so that
 * it is used as written.
 */
export type RestoreAnswer = (value: JsonValue, reading: Scanner) => JsonValue | undefined;

/** The form of an answer that is plain text. */
export const textAnswer: AnswerForm = { image: plainImage({ type: 'string' }), size: {}, free: [] };

/**
 * Converts the schema of the answer, whose nesting level is `level`. If the dialect cannot express the schema, the
 * model may write any value, or its JSON text, and only the check of the answer enforces the schema.
 */
export function convertAnswer(schema: SchemaObject, dialect: SchemaDialect, level: number): AnswerForm {
  const isTooLong = JSON.stringify(schema).length > MAX_SCHEMA_LENGTH;
  const converted = isTooLong ? null : convertValueSchema(schema, dialect, level);
  return converted && new Total(dialect).takes(converted.size)
    ? converted
    : { image: dialect.openValues ? anything : jsonText, size: {}, free: [''] };
}

/** Returns a function that converts an answer back to the caller's schema. */
export function restoreBy(image: Image): RestoreAnswer {
  return (value, reading) => (image.matches(value) ? restored(image, value, reading) : undefined);
}

/**
 * Returns a function that converts an answer of the phase `observe` back. In that phase, null means that there is no
 * answer.
 */
export const restoreNullableBy = ({ image }: AnswerForm): RestoreAnswer => restoreBy(nullableImage(image));
