import { isObject } from '../conversation/is-object.js';
import { isDeeperThan } from './is-deeper-than.js';

/** A tool as its server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /**
   * True if the server declares the tool destructive. This annotation can be trusted although the server is
   * untrusted, because it only adds approvals.
   */
  readonly isDestructive: boolean;
}

/** A tool that is not offered to the model, with the reason why. */
export interface LeftOutTool {
  /**
   * The tool's own name on its server, cut off if it is too long. `(no name)` for a tool without a name, `(the
   * others)` for several tools.
   */
  readonly name: string;
  /** End of a sentence that begins with the tool's name, such as `its inputSchema is not an object`. */
  readonly reason: string;
}

/** Maximum size of a schema in characters of JSON. A larger one would fill the prompt of every step. */
const MAX_SCHEMA_LENGTH = 50_000;
const MAX_DESCRIPTION_LENGTH = 8_000;
const MAX_NAME_LENGTH = 256;
/**
 * Maximum depth of a schema. The service would reject a whole step because of one schema that is nested more
 * deeply.
 */
const MAX_SCHEMA_DEPTH = 40;

/** Reads one entry of a server's tool list. Returns a `LeftOutTool` with the reason if the tool cannot be offered. */
export function readListedTool(entry: unknown): ListedTool | LeftOutTool {
  const name = isObject(entry) && typeof entry['name'] === 'string' ? entry['name'] : '';
  if (!isObject(entry) || name === '') return { name: '(no name)', reason: 'it has no name' };
  if (name.length > MAX_NAME_LENGTH)
    return { name: `${name.slice(0, 40)}…`, reason: `its name has ${name.length} characters` };
  const { title, description = '', inputSchema, annotations, execution } = entry;
  const problem = findProblem({ description, inputSchema, execution });
  if (problem !== undefined || !isObject(inputSchema) || typeof description !== 'string')
    return { name, reason: problem ?? 'it cannot be read' };
  return {
    name,
    title: typeof title === 'string' ? title : undefined,
    description,
    inputSchema: { type: 'object', ...inputSchema },
    isDestructive: isObject(annotations) && annotations['destructiveHint'] === true,
  };
}

function findProblem({
  description,
  inputSchema,
  execution,
}: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof description !== 'string') return 'its description is not a string';
  if (description.length > MAX_DESCRIPTION_LENGTH)
    return `its description has ${description.length} characters, more than ${MAX_DESCRIPTION_LENGTH}`;
  if (isObject(execution) && execution['taskSupport'] === 'required')
    return 'it requires the task mode of the protocol, which is not supported';
  return findSchemaProblem(inputSchema);
}

function findSchemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema)) return 'its inputSchema is not an object';
  if (schema['type'] !== undefined && schema['type'] !== 'object')
    return 'its inputSchema does not describe an object';
  const { properties, required } = schema;
  if (properties !== undefined && !areProperties(properties))
    return 'the properties of its inputSchema are not schemas';
  if (required !== undefined && !isListOfNames(required))
    return '`required` in its inputSchema is not a list of names';
  // The depth is checked first, because JSON.stringify recurses and would overflow the stack.
  if (isDeeperThan(MAX_SCHEMA_DEPTH, schema))
    return `its inputSchema is nested more than ${MAX_SCHEMA_DEPTH} levels deep`;
  const length = JSON.stringify(schema).length;
  return length > MAX_SCHEMA_LENGTH
    ? `its inputSchema has ${length} characters, more than ${MAX_SCHEMA_LENGTH}`
    : undefined;
}

/** Returns true if every property is a valid JSON schema: an object or a boolean. */
const areProperties = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((each) => isObject(each) || typeof each === 'boolean');

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string');
