import type { z } from 'zod';

/**
 * The options of a `safeParse` that tells issues in our words. Zod adds `async` to a copy of them, and V8 gives such a copy a
 * shape of its own each time, unless it is there already (docs/decisions/cost-of-a-step.md).
 */
export const inOurWords = { error: explainIssue, async: false } as const;

/**
 * What is wrong with a value, in words that say what to write instead; it goes to `safeParse` as its error map, so
 * that requests and settings speak alike. Never repeats the value. Undefined leaves the words to Zod, and a schema
 * that has its own keeps them.
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
      // The schema of the names said it better than "invalid key" does.
      return issue.issues[0]?.message;
    case 'custom':
      return issue.params?.['expected'] && expected(typeNamed(issue.params['expected']), issue.input);
    default:
      return undefined;
  }
}

/** A field that is left out is told from one of the wrong kind. */
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

/** By its format where it has one: a caller who leaves a UUID out should not be told of a string. */
function formatOf({ inst }: z.core.$ZodRawIssue): string | undefined {
  const definition = inst?._zod.def;
  return definition && 'format' in definition ? formats[String(definition.format)] : undefined;
}

function oneOf(values: readonly z.core.util.Primitive[]): string {
  return values.length === 1 ? String(values[0]) : `one of: ${values.map(String).join(', ')}`;
}

const unitOf = (origin: string): string =>
  origin === 'string' ? ' characters' : origin === 'array' ? ' items' : '';
