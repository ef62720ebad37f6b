import { z } from 'zod';

/**
 * An optional request field: `null` means absent (rule: null-is-absent). What is left out is not looked at further: most
 * fields of most requests are.
 */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value): z.output<Schema> | undefined => value ?? undefined)
    .optional();

/**
 * An array that is measured before its items are looked at: a body of 400,000 wrong items would otherwise
 * cost seconds and a 75 MB list of issues.
 */
export const list = <Schema extends z.ZodType>(
  item: Schema,
  max: number,
): z.ZodType<z.output<Schema>[], readonly z.input<Schema>[]> => {
  const measured = z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= max) return value;
    context.issues.push({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value });
    return z.NEVER;
  }, z.array(item).max(max));
  return measured as z.ZodType<z.output<Schema>[], readonly z.input<Schema>[]>; // the measuring hides what goes in
};

/** A JSON object of any shape, passed through untouched: no copy, no key lost, `__proto__` included. */
export const jsonObject = z
  .custom<Readonly<Record<string, unknown>>>(isObject, { params: { expected: 'object' } })
  .meta({ type: 'object', additionalProperties: true });

/** Any JSON value. */
export const jsonValue = z.unknown();

export const wholeNumber = z.int32();

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
