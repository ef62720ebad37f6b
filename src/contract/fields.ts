import { z } from 'zod';

/**
 * Makes a request field optional; `null` means absent (rule: null-is-absent). `optional()` is outermost so that
 * Zod skips the transformation for absent fields, and most fields of a request are absent.
 */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema
    .nullable()
    .transform((value): z.output<Schema> | undefined => value ?? undefined)
    .optional();

/**
 * An array whose length is checked before its items. Otherwise a body of 400,000 invalid items would take seconds
 * and produce 75 MB of issues.
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
  return measured as z.ZodType<z.output<Schema>[], readonly z.input<Schema>[]>; // `z.preprocess` loses the input type
};

/** A JSON object of any shape. Zod passes it on without copying it, so that no key is lost, not even `__proto__`. */
export const jsonObject = z
  .custom<Readonly<Record<string, unknown>>>(isObject, { params: { expected: 'object' } })
  .meta({ type: 'object', additionalProperties: true });

/** Any JSON value. */
export const jsonValue = z.unknown();

export const wholeNumber = z.int32();

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
