import { countParts } from '../../arguments/expand-schema.js';
import { isJsonObject } from '../../text/scanner.js';
import {
  conditionsOnItems,
  conditionsOnValues,
  inheritedBy,
  needsUnnamed,
  propertiesOf,
  underConditions,
} from './conditions.js';
import {
  anything,
  arrayImage,
  type Image,
  jsonText,
  mapImage,
  nullableImage,
  objectImage,
  type Properties,
  plainImage,
  type SchemaObject,
} from './image.js';
import type { SchemaDialect, SchemaSize } from './schema-dialect.js';
import {
  type Alternatives,
  alternativesOf,
  contradicts,
  isBound,
  mayBeNull,
  mergeAll,
} from './schema-keywords.js';
import { CountedSize } from './schema-size.js';
import { uniteImages } from './unite-images.js';

/** Maximum number of paths that `free` lists. */
const MAX_PATHS = 8;

/**
 * Maximum number of schema parts that are read repeatedly: those shared by alternatives, and conditions that apply to
 * many values. Without this limit, a schema of 26 KB blocked the event loop for 16 s.
 */
const MAX_REPEATED = 10_000;

/** Describes where a value is: its nesting level (the outermost object has level 1) and its path. */
interface Place {
  readonly level: number;
  readonly path: string;
}

/** The conversion of one schema to a dialect. */
export class Conversion {
  readonly free: string[] = [];
  readonly #dialect: SchemaDialect;
  #repeated = 0;
  readonly #size: CountedSize;

  constructor(dialect: SchemaDialect) {
    this.#dialect = dialect;
    this.#size = new CountedSize(dialect.limits.depth);
  }

  get size(): SchemaSize {
    return this.#size;
  }

  get isTooLarge(): boolean {
    return this.#repeated > MAX_REPEATED;
  }

  /**
   * Converts a tool's argument schema; a schema without declared properties accepts no arguments. Returns
   * null if the arguments cannot be an object of the dialect.
   */
  convertArguments(schema: SchemaObject, level: number): Image | null {
    const merged = mergeAll(schema);
    if (!merged || alternativesOf(merged)) return null;
    const { type = 'object' } = merged;
    if (type !== 'object') return null;
    const place = { level, path: '' };
    const hasNone = othersOf(merged) === undefined && merged['propertyNames'] === undefined;
    const image = hasNone ? this.#convertObject(merged, place) : this.#convertOpenObject(merged, place);
    return image === jsonText || contradicts(merged, 'object') ? null : image;
  }

  /** Converts the schema of a value of any type. */
  convertValue(schema: SchemaObject, level: number): Image {
    return this.#convert(schema, { level, path: '' });
  }

  #convert(schema: unknown, place: Place): Image {
    const merged = isJsonObject(schema) ? mergeAll(schema) : undefined;
    if (!merged) return this.#anything(place);
    this.#repeated += countParts(inheritedBy(merged));
    if (this.isTooLarge) return jsonText; // The result is discarded, so any image will do.
    if (merged['const'] !== undefined) return this.#convertValues([merged['const']], place);
    if (Array.isArray(merged['enum'])) return this.#convertValues(merged['enum'], place);
    const alternatives = alternativesOf(merged);
    if (alternatives) return this.#convertUnion(alternatives, place);
    const { type } = merged;
    if (Array.isArray(type))
      return this.#unite(
        [...new Set(type)].map((each) => this.#convertType(String(each), merged, place)),
        place,
      );
    return this.#convertType(typeof type === 'string' ? type : impliedType(merged), merged, place);
  }

  #convertType(type: string | undefined, schema: SchemaObject, place: Place): Image {
    if (type !== undefined && contradicts(schema, type)) return this.#leaveFree(place);
    if (type === 'object') return this.#convertOpenObject(schema, place);
    if (type === 'array') return this.#convertArray(schema, place);
    if (type === undefined || !Object.hasOwn(primitives, type)) return this.#anything(place);
    return plainImage({ type, ...this.#boundsOf(schema, type) });
  }

  /** Converts an object schema that may allow undeclared properties. */
  #convertOpenObject(schema: SchemaObject, place: Place): Image {
    const others = othersOf(schema);
    if (others === false || propertiesOf(schema).size > 0) return this.#convertObject(schema, place);
    if (!isJsonObject(others))
      return this.#dialect.openValues ? plainImage({ type: 'object' }) : this.#anything(place);
    const values = underConditions(others, conditionsOnValues(schema));
    if (!this.#dialect.openValues) return this.#convertMap(values, place);
    return plainImage({
      type: 'object',
      additionalProperties: this.#convert(values, within(place, '{}')).schema,
    });
  }

  #convertObject(schema: SchemaObject, place: Place): Image {
    const { required } = schema;
    const properties = propertiesOf(schema);
    if (needsUnnamed(schema, properties.size) || !this.#size.enterLevel(place.level))
      return this.#anything(place);
    const wanted = new Set(Array.isArray(required) ? required : []);
    const converted = [...properties].map(([name, each]): Properties[number] => {
      this.#size.addProperty(name);
      const at = within(place, name);
      return wanted.has(name)
        ? { name, image: this.#convert(each, at), absence: 'required' }
        : this.#convertOptional(name, each, at);
    });
    return objectImage(converted);
  }

  #convertOptional(name: string, schema: unknown, place: Place): Properties[number] {
    if (!this.#dialect.allRequired) {
      this.#size.optionalProperties += 1;
      return { name, image: this.#convert(schema, place), absence: 'omitted' };
    }
    this.#size.unions += 1;
    const image = mayBeNull(schema) ? this.#convertWrapped(schema, place) : this.#convert(schema, place);
    return { name, image: nullableImage(image), absence: 'null' };
  }

  /**
   * Converts the inner schema of a value that `nullableImage` wraps in an object, which adds one level of nesting.
   */
  #convertWrapped(schema: unknown, place: Place): Image {
    if (!this.#size.enterLevel(place.level)) return this.#anything(place);
    this.#size.addProperty('value');
    return this.#convert(schema, { ...place, level: place.level + 1 });
  }

  /**
   * Converts an object with unknown keys to a list of entries, for a dialect that requires every property to be
   * declared.
   */
  #convertMap(values: unknown, place: Place): Image {
    if (!this.#size.enterLevel(place.level)) return this.#anything(place);
    this.#size.addProperty('key');
    this.#size.addProperty('value');
    return mapImage(this.#convert(values, within(place, '{}')));
  }

  #convertArray(schema: SchemaObject, place: Place): Image {
    if (schema['prefixItems'] !== undefined || Array.isArray(schema['items'])) return this.#anything(place);
    if (schema['items'] === undefined && this.#dialect.openValues) return plainImage({ type: 'array' });
    const each = underConditions(schema['items'], conditionsOnItems(schema));
    const items = this.#convert(each, { ...place, path: `${place.path}[]` });
    return arrayImage(items, this.#boundsOf(schema, 'array'));
  }

  /** Converts `enum` and `const` values, grouped by type. */
  #convertValues(values: readonly unknown[], place: Place): Image {
    const plain = [...new Set(values)].filter(isPlain);
    if (!values.every(isPlain) || plain.length === 0) return this.#anything(place);
    const types = [...new Set(plain.map(typeOf))];
    const images = types.map((type) =>
      type === 'null'
        ? plainImage({ type })
        : this.#convertEnum(
            type,
            plain.filter((each) => typeOf(each) === type),
          ),
    );
    return this.#unite(images, place);
  }

  /**
   * Converts `enum` values of one type. If the vendor would refuse the list as too long, omits it, so that only the
   * argument check enforces it.
   */
  #convertEnum(type: string, values: readonly (string | number | boolean | null)[]): Image {
    const characters = values.reduce<number>((sum, each) => sum + String(each).length, 0);
    const { longEnum } = this.#dialect;
    if (type === 'string' && values.length > longEnum.values && characters > longEnum.characters)
      return plainImage({ type });
    this.#size.enumValues += values.length;
    this.#size.characters += characters;
    return plainImage({ type, enum: values });
  }

  #convertUnion({ list, shared }: Alternatives, place: Place): Image {
    this.#repeated += countParts(list) + list.length * countParts(shared);
    if (this.isTooLarge) return jsonText; // The result is discarded, so any image will do.
    const images = list.map((each) => {
      const merged = isJsonObject(each) && mergeAll({ ...shared, allOf: [each] });
      return this.#convert(merged || {}, place);
    });
    return this.#unite(images, place);
  }

  #unite(images: readonly Image[], place: Place): Image {
    const [only, second] = images;
    if (!only) return this.#anything(place);
    if (!second) return only;
    this.#size.unions += 1;
    return uniteImages(images, this.#dialect) ?? this.#anything(place);
  }

  /**
   * Returns the schema of a value that the dialect cannot describe: any value if the dialect allows that, else JSON
   * text.
   */
  #anything(place: Place): Image {
    return this.#dialect.openValues ? anything : this.#leaveFree(place);
  }

  /**
   * Lets the model write any value, since the dialect cannot express its schema; the argument check reports mismatches.
   */
  #leaveFree({ path }: Place): Image {
    if (this.free.length < MAX_PATHS) this.free.push(path);
    return this.#dialect.openValues ? anything : jsonText;
  }

  #boundsOf(schema: SchemaObject, type: string): SchemaObject {
    const taken = this.#dialect.bounds.filter((bound) => isBound(bound, schema[bound], type));
    return Object.fromEntries(taken.map((bound) => [bound, schema[bound]]));
  }
}

const primitives = { string: true, number: true, integer: true, boolean: true, null: true };

const within = ({ level, path }: Place, name: string): Place => ({
  level: level + 1,
  path: path === '' ? name : `${path}.${name}`,
});

const othersOf = ({ additionalProperties, unevaluatedProperties }: SchemaObject): unknown =>
  additionalProperties ?? unevaluatedProperties;

/** Infers the type from a schema's keywords if it declares none. */
function impliedType(schema: SchemaObject): string | undefined {
  if (schema['properties'] !== undefined) return 'object';
  return schema['items'] === undefined ? undefined : 'array';
}

const isPlain = (value: unknown): value is string | number | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);

const typeOf = (value: string | number | boolean | null): string => (value === null ? 'null' : typeof value);
