/** A JSON object of unknown shape. */
export type Fields = Readonly<Record<string, unknown>>;

/** The subset of JSON Schema that a vendor accepts for a reply (sources: docs/reference/constrained-output.md). */
interface Subset {
  /** The keywords that any schema node may have, whatever its type. */
  readonly keywords: ReadonlySet<string>;
  readonly allRequired: boolean;
  readonly unionAtRoot: boolean;
  readonly distinctFirstKeys: boolean;
  readonly max: Readonly<Partial<Record<keyof Counts, number>>>;
}

interface Counts {
  depth: number;
  properties: number;
  optional: number;
  unions: number;
  enumValues: number;
  characters: number;
}

const structure = [
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'enum',
  'const',
  '$ref',
  '$defs',
  'title',
  'description',
];

const openaiSubset: Subset = {
  keywords: new Set([
    ...structure,
    'pattern',
    'format',
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ]),
  allRequired: true,
  unionAtRoot: false,
  distinctFirstKeys: true,
  max: { depth: 10, properties: 5_000, enumValues: 1_000, characters: 120_000 },
};

const anthropicSubset: Subset = {
  keywords: new Set([...structure, 'allOf', 'format', 'pattern', 'minItems', 'default']),
  allRequired: false,
  unionAtRoot: true,
  distinctFirstKeys: false,
  max: { optional: 24, unions: 16 },
};

/** Returns the problem that OpenAI would report about the schema of a strict `response_format`, or null. */
export function checkOpenAiSchema(schema: unknown, name: string): string | null {
  const problem = new SchemaCheck(openaiSubset).check(schema);
  return problem && `Invalid schema for response_format '${name}': ${problem}`;
}

/** Returns the problem that Anthropic would report about the schema of `output_config.format`, or null. */
export function checkAnthropicSchema(schema: unknown): string | null {
  const problem = new SchemaCheck(anthropicSubset).check(schema);
  return problem && `output_config.format.schema: Invalid schema: ${problem}`;
}

class SchemaCheck {
  readonly #subset: Subset;
  readonly #counts: Counts = {
    depth: 0,
    properties: 0,
    optional: 0,
    unions: 0,
    enumValues: 0,
    characters: 0,
  };

  constructor(subset: Subset) {
    this.#subset = subset;
  }

  check(schema: unknown): string | null {
    const root = fieldsOf(schema);
    if (!this.#subset.unionAtRoot && root['type'] !== 'object')
      return `schema must be a JSON Schema of 'type: "object"', got 'type: "${String(root['type'])}"'.`;
    if (!this.#subset.unionAtRoot && root['anyOf'] !== undefined)
      return "schema must not have 'anyOf' at the top level.";
    return this.#checkNode(root, 0) ?? this.#checkCounts();
  }

  #checkNode(node: unknown, depth: number): string | null {
    if (typeof node !== 'object' || node === null) return 'a schema must be an object.';
    const schema = fieldsOf(node);
    const unknown = Object.keys(schema).find((keyword) => !this.#subset.keywords.has(keyword));
    if (unknown !== undefined) return `'${unknown}' is not permitted.`;
    const isDescribed = ['type', 'anyOf', 'enum', 'const', '$ref', 'allOf'].some(
      (keyword) => keyword in schema,
    );
    if (!isDescribed) return "schema must have a 'type' key.";
    this.#count(schema);
    return (
      checkValues(schema) ??
      checkBounds(schema) ??
      (schema['type'] === 'object' ? this.#checkObject(schema, depth + 1) : null) ??
      (schema['type'] === 'array' ? this.#checkItems(schema, depth) : null) ??
      this.#checkUnion(schema, depth)
    );
  }

  #checkObject({ properties, required, additionalProperties }: Fields, depth: number): string | null {
    this.#counts.depth = Math.max(this.#counts.depth, depth);
    if (additionalProperties !== false)
      return "'additionalProperties' is required to be supplied and to be false.";
    const names = Object.keys(fieldsOf(properties));
    const wanted = new Set(listOf(required));
    this.#counts.properties += names.length;
    this.#counts.characters += names.join('').length;
    this.#counts.optional += names.filter((name) => !wanted.has(name)).length;
    const missing = names.find((name) => !wanted.has(name));
    if (this.#subset.allRequired && missing !== undefined)
      return `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`;
    return firstProblem(Object.values(fieldsOf(properties)), (each) => this.#checkNode(each, depth));
  }

  #checkItems({ items }: Fields, depth: number): string | null {
    return items === undefined ? 'array schema missing items.' : this.#checkNode(items, depth);
  }

  #checkUnion({ anyOf }: Fields, depth: number): string | null {
    const alternatives = listOf(anyOf);
    if (anyOf !== undefined && alternatives.length === 0) return "'anyOf' should be non-empty.";
    const objects = alternatives.flatMap(withNested).filter(({ type }) => type === 'object');
    if (
      this.#subset.distinctFirstKeys &&
      objects.some((each, index) => objects.slice(index + 1).some((other) => beginAlike(each, other)))
    )
      return "Objects provided via 'anyOf' must not share identical first keys. Consider adding a discriminator key or rearranging the properties to ensure the first key is unique.";
    return firstProblem(alternatives, (each) => this.#checkNode(each, depth));
  }

  #count({ type, anyOf, enum: values, const: constant }: Fields): void {
    if (Array.isArray(anyOf) || Array.isArray(type)) this.#counts.unions += 1;
    const literals = constant === undefined ? listOf(values) : [constant];
    this.#counts.enumValues += listOf(values).length;
    this.#counts.characters += literals.map(String).join('').length;
  }

  #checkCounts(): string | null {
    const { max } = this.#subset;
    const over = countNames.find((name) => this.#counts[name] > (max[name] ?? Number.POSITIVE_INFINITY));
    return over ? `too many ${over} (${this.#counts[over]}), which exceeds the limit: ${max[over]}` : null;
  }
}

/** Returns an alternative of a union as a list; if the alternative is itself a union, returns its alternatives. */
function withNested(alternative: unknown): Fields[] {
  const schema = fieldsOf(alternative);
  return schema['anyOf'] === undefined ? [schema] : listOf(schema['anyOf']).flatMap(withNested);
}

/** Enums with more values than this have a limit on the total length of their strings. */
const LONG_ENUM_VALUES = 250;
const LONG_ENUM_CHARACTERS = 15_000;

function checkValues({ enum: values }: Fields): string | null {
  if (values === undefined) return null;
  const list = listOf(values);
  if (list.length === 0 || new Set(list).size < list.length) return "'enum' has no or duplicate values.";
  const characters = list.map(String).join('').length;
  return list.length > LONG_ENUM_VALUES && characters > LONG_ENUM_CHARACTERS
    ? `an enum of ${list.length} values has ${characters} characters, which exceeds the limit of ${LONG_ENUM_CHARACTERS}.`
    : null;
}

const numericBounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const lengthBounds = ['minItems', 'maxItems'];

function checkBounds(schema: Fields): string | null {
  const isNumber = schema['type'] === 'number' || schema['type'] === 'integer';
  const wrong = [
    ...numericBounds.filter((bound) => !isNumber || !Number.isFinite(schema[bound])),
    ...lengthBounds.filter((bound) => schema['type'] !== 'array' || !isLength(schema[bound])),
  ].find((bound) => schema[bound] !== undefined);
  if (wrong !== undefined) return `'${wrong}' is not permitted here.`;
  return Number(schema['multipleOf'] ?? 1) > 0 ? null : "'multipleOf' must be greater than 0.";
}

const isLength = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;

const countNames = ['depth', 'properties', 'optional', 'unions', 'enumValues', 'characters'] as const;

/** Returns whether two object schemas have the same first key, unless constant values of that key distinguish them. */
function beginAlike(one: Fields, other: Fields): boolean {
  const [first] = Object.entries(fieldsOf(one['properties']));
  const [second] = Object.entries(fieldsOf(other['properties']));
  if (!first || !second || first[0] !== second[0]) return false;
  const values = literalsOf(first[1]);
  const others = literalsOf(second[1]);
  return values.length === 0 || others.length === 0 || values.some((value) => others.includes(value));
}

function literalsOf(schema: unknown): unknown[] {
  const { const: constant, enum: values } = fieldsOf(schema);
  return constant === undefined ? listOf(values) : [constant];
}

export function firstProblem<Item>(
  items: readonly Item[],
  check: (item: Item, index: number) => string | null,
): string | null {
  for (const [index, item] of items.entries()) {
    const problem = check(item, index);
    if (problem !== null) return problem;
  }
  return null;
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const fieldsOf = (value: unknown): Fields => Object.fromEntries(Object.entries(value ?? {}));
