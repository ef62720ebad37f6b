import { isObject } from '../../conversation/is-object.js';

/** A JSON Schema of any type. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The part of the Standard Schema interface (standardschema.dev) that a run uses. Zod, ArkType and Valibot implement
 * it.
 */
export interface StandardSchema<Output = unknown> {
  /** The properties that Standard Schema defines. */
  readonly '~standard': {
    /** Version of Standard Schema. */
    readonly version: 1;
    /** Name of the library. */
    readonly vendor: string;
    /** Checks a value. Returns the value, which the schema may have transformed, or the issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Types of the schema for the compiler; this field has no value at run time. */
    readonly types?:
      | {
          /** Type of the values that the schema accepts. */
          readonly input: unknown;
          /** Type of the values that `validate` returns. */
          readonly output: Output;
        }
      | undefined;
    /** Writes the schema as JSON Schema, in libraries that implement Standard JSON Schema. */
    readonly jsonSchema?: {
      /** Describes the accepted values. */
      readonly input: (options: {
        /** The dialect of JSON Schema. */
        readonly target: 'draft-2020-12';
      }) => JsonSchema;
    };
  };
}

/** The result of a check by a `StandardSchema`. */
export type StandardResult<Output> =
  | {
      /** The checked value, in the type of the schema. */
      readonly value: Output;
      /** Absent if the value fits the schema. */
      readonly issues?: undefined;
    }
  | {
      /** The problems of a value that does not fit. */
      readonly issues: readonly StandardIssue[];
    };

/** A problem that a `StandardSchema` found. */
export interface StandardIssue {
  /** The problem in words. */
  readonly message: string;
  /** Keys that lead from the checked value to the faulty part. */
  readonly path?:
    | readonly (
        | PropertyKey
        | {
            /** The key itself. */
            readonly key: PropertyKey;
          }
      )[]
    | undefined;
}

/**
 * A schema of a library that cannot write JSON Schema, such as Valibot, together with a JSON Schema for the same
 * values.
 */
export interface DescribedSchema<Output = unknown> {
  /** Checks and types the value. */
  readonly schema: StandardSchema<Output>;
  /** Describes the same values to the service and the model. */
  readonly jsonSchema: JsonSchema;
}

/** Returns true for an object or function with the property `~standard`; ArkType's schemas are functions. */
export const isStandard = (given: unknown): given is StandardSchema =>
  (typeof given === 'function' || isObject(given)) &&
  typeof Object(Reflect.get(given, '~standard')).validate === 'function';

export const isDescribed = (given: unknown): given is DescribedSchema =>
  isObject(given) && isStandard(given['schema']) && isObject(given['jsonSchema']);

/** Returns the JSON Schema that a library writes for its schema. Throws `TypeError` that names the option if it writes none. */
export function jsonSchemaOf(schema: StandardSchema, option: string): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' });
  // Zod before 4.2 and ArkType before 2.1.28 write JSON Schema with a method of their own.
  for (const name of ['toJSONSchema', 'toJsonSchema']) {
    const method: unknown = Reflect.get(schema, name);
    const written: unknown = typeof method === 'function' ? method.call(schema) : undefined;
    if (isObject(written)) return written;
  }
  throw new TypeError(
    `${option}: a schema of ${vendor} does not write JSON Schema. Pass { schema, jsonSchema } instead.`,
  );
}

/** A checked value in the type of its schema, or the reason why it does not fit, in words for the model. */
export type CheckedValue = { readonly value: unknown; readonly problem: null } | { readonly problem: string };

const MAX_ISSUES = 5;

/** Checks a value. Resolves to the value in the type of the schema, or to the problems in words. */
export async function checkBy(schema: StandardSchema, value: unknown): Promise<CheckedValue> {
  const result = await schema['~standard'].validate(value);
  if (!result.issues) return { value: result.value, problem: null };
  const issues = result.issues.slice(0, MAX_ISSUES).map(describeIssue);
  return { problem: issues.join('; ') || 'it was refused' };
}

function describeIssue({ message, path = [] }: StandardIssue): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  return keys.length === 0 ? message : `\`${keys.join('.')}\`: ${message}`;
}
