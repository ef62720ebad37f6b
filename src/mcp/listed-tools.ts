import { isDeeperThan, isRecord } from './records.js';

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** The server says that the tool may destroy something; what else it says of itself is not believed. */
  readonly isDestructive: boolean;
}

/** A tool that is not offered, and why. */
export interface LeftOutTool {
  readonly name: string;
  readonly reason: string;
}

/** In characters of JSON: a larger schema would fill the prompt of every step. */
const MAX_SCHEMA_LENGTH = 50_000;
const MAX_DESCRIPTION_LENGTH = 8_000;
const MAX_NAME_LENGTH = 256;
/** Deeper schemas are refused by the service, and the whole step with them. */
const MAX_SCHEMA_DEPTH = 40;

/** Reads one entry of `tools/list`. What cannot be offered is left out, with the reason, and takes no other with it. */
export function readListedTool(entry: unknown): ListedTool | LeftOutTool {
  const name = isRecord(entry) && typeof entry['name'] === 'string' ? entry['name'] : '';
  if (!isRecord(entry) || name === '') return { name: '(no name)', reason: 'it has no name' };
  if (name.length > MAX_NAME_LENGTH)
    return { name: `${name.slice(0, 40)}…`, reason: `its name has ${name.length} characters` };
  const { title, description = '', inputSchema, annotations, execution } = entry;
  const problem = findProblem({ description, inputSchema, execution });
  if (problem !== undefined || !isRecord(inputSchema) || typeof description !== 'string')
    return { name, reason: problem ?? 'it cannot be read' };
  return {
    name,
    title: typeof title === 'string' ? title : undefined,
    description,
    inputSchema: { type: 'object', ...inputSchema },
    isDestructive: isRecord(annotations) && annotations['destructiveHint'] === true,
  };
}

function findProblem({
  description,
  inputSchema,
  execution,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof description !== 'string') return 'its description is no text';
  if (description.length > MAX_DESCRIPTION_LENGTH)
    return `its description has ${description.length} characters, more than ${MAX_DESCRIPTION_LENGTH}`;
  if (isRecord(execution) && execution['taskSupport'] === 'required')
    return 'it works only as a task that is asked about later, which is not supported';
  return findSchemaProblem(inputSchema);
}

function findSchemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'its inputSchema is no object';
  if (schema['type'] !== undefined && schema['type'] !== 'object')
    return 'its inputSchema describes no object of arguments';
  const { properties, required } = schema;
  if (properties !== undefined && !areProperties(properties))
    return 'the properties of its inputSchema are no schemas';
  if (required !== undefined && !isListOfNames(required))
    return 'required in its inputSchema is no list of names';
  // Before it is written as JSON: that recurses.
  if (isDeeperThan(MAX_SCHEMA_DEPTH, schema))
    return `its inputSchema is nested more than ${MAX_SCHEMA_DEPTH} levels deep`;
  const length = JSON.stringify(schema).length;
  return length > MAX_SCHEMA_LENGTH
    ? `its inputSchema has ${length} characters, more than ${MAX_SCHEMA_LENGTH}`
    : undefined;
}

/** Each is a schema: an object, or true or false. */
const areProperties = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((each) => isRecord(each) || typeof each === 'boolean');

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
