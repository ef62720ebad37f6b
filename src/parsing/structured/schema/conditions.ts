import { isJsonObject } from '../../text/scanner.js';
import type { SchemaObject } from './image.js';
import { listOf } from './schema-keywords.js';

/** Key in the schema of a part (a property or an item) for the conditions that the enclosing schema imposes on it. */
const INHERITED = '$conditions';

/**
 * Returns the subschemas that may apply to the same value as the schema, such as those of `anyOf` and `if`. They
 * restrict the value, and may mention undeclared properties.
 */
function conditionsOf(schema: SchemaObject): SchemaObject[] {
  const { not } = schema;
  const excludes = isJsonObject(not) && Object.keys(not).every((keyword) => keyword === 'required');
  const conditions = [
    ...['if', 'then', 'else', ...(excludes ? [] : ['not'])].map((keyword) => schema[keyword]),
    ...valuesOf(schema['dependentSchemas']),
    ...['allOf', 'anyOf', 'oneOf', INHERITED].flatMap((keyword) => listOf(schema[keyword])),
  ].filter(isJsonObject);
  return conditions.flatMap((each) => [each, ...conditionsOf(each)]);
}

export const inheritedBy = (schema: SchemaObject): readonly unknown[] => listOf(schema[INHERITED]);

/**
 * Adds the conditions that the enclosing schema imposes on a part (a property or an item) to the schema of that part.
 */
export function underConditions(part: unknown, conditions: readonly unknown[]): unknown {
  const further = conditions.filter(isJsonObject);
  if (!isJsonObject(part) || further.length === 0) return part;
  return { ...part, [INHERITED]: [...inheritedBy(part), ...further] };
}

/**
 * Returns an object's declared properties. Unless the schema forbids others, also those that it requires or that its
 * conditions mention; they may have any value.
 */
export function propertiesOf(schema: SchemaObject): ReadonlyMap<string, unknown> {
  const conditions = conditionsOf(schema);
  const byProperty = conditionsByProperty(conditions);
  const onAll = conditions.flatMap(unnamedOf);
  const properties = new Map<string, unknown>();
  for (const [name, each] of entriesOf(schema['properties']))
    properties.set(name, underConditions(each, [...(byProperty.get(name) ?? []), ...onAll]));
  if (schema['additionalProperties'] === false) return properties;
  const named = [schema, ...conditions].flatMap(namesRequired);
  for (const name of [...named, ...byProperty.keys()]) if (!properties.has(name)) properties.set(name, {});
  return properties;
}

/** Collects, for each property, the conditions on it. */
function conditionsByProperty(conditions: readonly SchemaObject[]): ReadonlyMap<string, unknown[]> {
  const byProperty = new Map<string, unknown[]>();
  for (const [name, each] of conditions.flatMap(({ properties }) => entriesOf(properties))) {
    const existing = byProperty.get(name);
    if (existing) existing.push(each);
    else byProperty.set(name, [each]);
  }
  return byProperty;
}

/** Collects the conditions on the items of a list. */
export function conditionsOnItems(schema: SchemaObject): unknown[] {
  return [schema, ...conditionsOf(schema)].flatMap((each) => [
    ...(each === schema ? [] : [each['items'], ...listOf(each['items'])]),
    ...listOf(each['prefixItems']),
    each['contains'],
    each['unevaluatedItems'],
  ]);
}

/** Returns the schemas that may apply to the property values of an object whose property names are not declared. */
export function conditionsOnValues(schema: SchemaObject): unknown[] {
  return conditionsOf(schema).flatMap((each) => [...valuesOf(each['properties']), ...unnamedOf(each)]);
}

/** Returns the schemas that apply to properties whose names are not declared. */
const unnamedOf = ({ additionalProperties, unevaluatedProperties }: SchemaObject): SchemaObject[] =>
  [additionalProperties, unevaluatedProperties].filter(isJsonObject);

/** Whether an object may need properties whose names the schema does not contain. */
export function needsUnnamed(schema: SchemaObject, names: number): boolean {
  const isOpen = schema['additionalProperties'] !== false;
  const all = [schema, ...conditionsOf(schema)];
  if (all.some(({ minProperties }) => typeof minProperties === 'number' && minProperties > names))
    return true;
  return isOpen && all.some((each) => unnamedOf(each).length > 0);
}

/** Returns the names of required properties in their order; may contain duplicates. */
function namesRequired({ required, dependentRequired, propertyNames }: SchemaObject): string[] {
  const { enum: names, const: name } = isJsonObject(propertyNames) ? propertyNames : {};
  const lists = [required, ...valuesOf(dependentRequired), names, [name]];
  return lists.flatMap(listOf).filter((each) => typeof each === 'string');
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  isJsonObject(value) ? Object.entries(value) : [];

const valuesOf = (value: unknown): readonly unknown[] => (isJsonObject(value) ? Object.values(value) : []);
