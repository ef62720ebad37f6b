import { isObject } from '../../contract/fields.js';
import type { ErrorDetail, Warning } from '../../contract/step.js';
import { expandSchema, targetOf } from '../../parsing/arguments/expand-schema.js';
import { StepRefused } from './interruption.js';
import { listFirst } from './list-first.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** Maximum depth of nested schemas. A schema that is nested deeper is refused. */
const MAX_DEPTH = 40;
/** Maximum number of values in one `enum` or `required`. */
const MAX_LISTED = 10_000;
/** Maximum length of a schema path that an error or a warning quotes. */
const MAX_PATH_LENGTH = 200;
/** Maximum number of paths that one warning names. */
const MAX_NAMED_PLACES = 8;

/** Keywords that the check ignores (rule: answer-schema). `format` is only an annotation in JSON Schema. */
const unchecked: ReadonlySet<string> = new Set([
  'pattern',
  'patternProperties',
  'uniqueItems',
  'dependencies',
  '$dynamicRef',
  '$recursiveRef',
]);

const schemaKeywords: ReadonlySet<string> = new Set([
  'items',
  'additionalItems',
  'contains',
  'unevaluatedItems',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
]);
const listKeywords: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'allOf', 'prefixItems']);
const mapKeywords: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const numberKeywords = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
];
const typeNames: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'null',
  'array',
  'object',
]);

/**
 * Throws `StepRefused`, with the path of the invalid part, if the schema cannot be used for answers. `root` is the
 * path of the schema in the request. Returns a warning if the schema contains keywords that the check ignores (rule:
 * answer-schema).
 */
export function requireAnswerSchema(schema: JsonSchema, root: Path = ['answer_schema']): Warning[] {
  const inspection = new Inspection(schema);
  inspection.visit(schema, root, 0);
  if (expandSchema(schema) === null)
    refuse(root, 'has more than 20,000 parts once its references are followed');
  return partlyChecked(inspection.unchecked);
}

function partlyChecked(places: readonly string[]): Warning[] {
  if (places.length === 0) return [];
  const named = listFirst(places, MAX_NAMED_PLACES);
  const message = `The service does not check these parts of answer_schema; check them yourself: ${named}.`;
  return [{ code: 'answer_schema_partly_checked', message }];
}

type Path = readonly string[];

class Inspection {
  /** Paths of the keywords that the check ignores. */
  readonly unchecked: string[] = [];
  readonly #root: JsonSchema;

  constructor(root: JsonSchema) {
    this.#root = root;
  }

  visit(schema: unknown, path: Path, depth: number): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema)) refuse(path, 'must be a schema: an object, true or false');
    if (depth > MAX_DEPTH) refuse(path, `is nested deeper than ${MAX_DEPTH} schemas`);
    requireValues(schema, path);
    this.#requireTarget(schema['$ref'], path);
    for (const keyword of Object.keys(schema))
      if (unchecked.has(keyword) && schema[keyword] !== false)
        this.unchecked.push(pathText([...path, keyword]));
    for (const [name, value] of subschemas(schema, path)) this.visit(value, [...path, ...name], depth + 1);
  }

  #requireTarget(reference: unknown, path: Path): void {
    if (reference === undefined) return;
    const at = [...path, '$ref'];
    if (typeof reference !== 'string') refuse(at, 'must be a text');
    if (!/^#(?:\/|$)/.test(reference)) refuse(at, 'must point into this schema, such as "#/$defs/name"');
    const found = targetOf(this.#root, reference);
    if (!isObject(found) && typeof found !== 'boolean') refuse(at, 'points to no schema');
  }
}

/** Returns the schemas that are directly nested in a schema, each with the keys that lead to it. */
function subschemas(schema: JsonSchema, path: Path): [Path, unknown][] {
  return Object.entries(schema).flatMap(([keyword, value]): [Path, unknown][] => {
    if (listKeywords.has(keyword)) {
      if (!Array.isArray(value) || value.length === 0)
        refuse([...path, keyword], 'must be a list of at least one schema');
      return value.map((each, at) => [[keyword, String(at)], each]);
    }
    if (mapKeywords.has(keyword)) {
      if (!isObject(value)) refuse([...path, keyword], 'must be an object of schemas');
      return Object.entries(value).map(([name, each]) => [[keyword, name], each]);
    }
    if (!schemaKeywords.has(keyword)) return [];
    return Array.isArray(value)
      ? value.map((each, at) => [[keyword, String(at)], each])
      : [[[keyword], value]];
  });
}

/** Refuses keywords whose values JSON Schema does not allow, because no answer could ever satisfy them. */
function requireValues(schema: JsonSchema, path: Path): void {
  const { type, required, enum: values } = schema;
  const types = Array.isArray(type) ? type : [type];
  if (type !== undefined && (types.length === 0 || !types.every((each) => typeNames.has(each))))
    refuse([...path, 'type'], `must be one of ${[...typeNames].join(', ')}, or a list of them`);
  if (
    required !== undefined &&
    !(Array.isArray(required) && required.every((name) => typeof name === 'string'))
  )
    refuse([...path, 'required'], 'must be a list of names');
  if (values !== undefined && !(Array.isArray(values) && values.length > 0))
    refuse([...path, 'enum'], 'must be a list of at least one value');
  for (const keyword of ['enum', 'required'])
    if (Array.isArray(schema[keyword]) && schema[keyword].length > MAX_LISTED)
      refuse([...path, keyword], `lists more than ${MAX_LISTED} values`);
  for (const keyword of numberKeywords)
    if (schema[keyword] !== undefined && typeof schema[keyword] !== 'number')
      refuse([...path, keyword], 'must be a number');
}

function refuse(path: Path, message: string): never {
  const detail: ErrorDetail = { path: pathText(path), code: 'invalid_answer_schema', message };
  throw new StepRefused('invalid_request', [detail]);
}

const pathText = (path: Path): string => path.join('.').slice(0, MAX_PATH_LENGTH);
