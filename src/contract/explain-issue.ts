import type { z } from 'zod';

/**
 * Explains a validation issue of Zod in requests and settings. The explanation says what to write instead, and
 * never repeats the value. If this returns undefined, Zod's default message is used; a schema's own message takes
 * precedence over both.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return expected(formatOf(issue) ?? typeNamed(issue.expected), issue.input);
    case 'invalid_value':
      return expected(oneOf(issue.values), issue.input);
    case 'invalid_format':
      return formats[issue.format] && `expected ${formats[issue.format]}`;
    case 'too_small':
      return `expected at least ${issue.minimum}${unitOf(issue.origin)}`;
    case 'too_big':
      return `expected at most ${issue.maximum}${unitOf(issue.origin)}`;
    case 'invalid_key':
      // The message of the schema that checks the key says more than Zod's "invalid key".
      return issue.issues[0]?.message;
    case 'custom':
      return issue.params?.['expected'] && expected(typeNamed(issue.params['expected']), issue.input);
    default:
      return undefined;
  }
}

/** Returns the message for a missing field or a field of the wrong type. */
function expected(what: string, input: unknown): string {
  return input === undefined ? `this field is required: ${what}` : `expected ${what}`;
}

const formats: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  int32: 'a whole number',
  safeint: 'a whole number',
};

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const typeNamed = (type: string): string => types[type] ?? type;

/**
 * Returns the name of the format that the schema requires, such as "a UUID", which explains more than "a string";
 * undefined if it requires none.
 */
function formatOf({ inst }: z.core.$ZodRawIssue): string | undefined {
  const definition = inst?._zod.def;
  return definition && 'format' in definition ? formats[String(definition.format)] : undefined;
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  return values.length === 1 ? String(values[0]) : `one of: ${values.map(String).join(', ')}`;
}

const unitOf = (origin: string): string =>
  origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '';
