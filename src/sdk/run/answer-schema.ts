import {
  type CheckedValue,
  checkBy,
  type DescribedSchema,
  isDescribed,
  isStandard,
  type JsonSchema,
  jsonSchemaOf,
  type StandardSchema,
} from '../base/standard-schema.js';

/** The form of the final answer: a schema of Zod or any other library of Standard Schema, or a JSON Schema. */
export type AnswerSchema<Output = unknown> = StandardSchema<Output> | DescribedSchema<Output> | JsonSchema;

/** The JSON Schema of the final answer and the check of answers against it. */
export interface AnswerCheck {
  readonly jsonSchema: JsonSchema;
  /** Checks an answer that fits the JSON Schema against the library's schema, if one was given. */
  check(value: unknown): Promise<CheckedValue>;
}

/** Prepares an answer schema. Throws `TypeError` if its library cannot write JSON Schema and the caller gave none. */
export function toAnswerCheck(given: AnswerSchema): AnswerCheck {
  if (isStandard(given))
    return { jsonSchema: jsonSchemaOf(given, 'answerSchema'), check: (value) => checkAnswer(given, value) };
  if (isDescribed(given)) {
    const { schema, jsonSchema } = given;
    return { jsonSchema, check: (value) => checkAnswer(schema, value) };
  }
  return { jsonSchema: given as JsonSchema, check: async (value) => ({ value, problem: null }) }; // the only kind left
}

/** Returns the JSON Schema of an answer schema. Throws `TypeError` as `toAnswerCheck` does. */
export const toJsonSchema = (given: AnswerSchema): JsonSchema => toAnswerCheck(given).jsonSchema;

async function checkAnswer(schema: StandardSchema, value: unknown): Promise<CheckedValue> {
  const checked = await checkBy(schema, value);
  return checked.problem === null ? checked : { problem: `the answer does not fit: ${checked.problem}` };
}
