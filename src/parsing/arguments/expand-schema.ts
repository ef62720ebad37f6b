import type { Schema } from '@cfworker/json-schema';
import { isJsonObject } from '../text/scanner.js';

/**
 * Keywords that are ignored: a caller's patterns and formats would run regular expressions over the model's
 * text, `uniqueItems` compares every pair, and dynamic references depend on the path to them.
 */
const leftOut = new Set([
  'pattern',
  'patternProperties',
  'format',
  'uniqueItems',
  'dependencies',
  '$recursiveRef',
  '$recursiveAnchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$schema',
  '$id',
  'id',
  '$anchor',
  '$defs',
  'definitions',
]);
/** Maximum number of nodes of a schema with its references expanded; a larger one is ignored. */
const MAX_NODES = 20_000;
/**
 * Maximum number of keywords read while references are expanded, since many references may point to one large
 * schema.
 */
const MAX_KEYWORDS = 400_000;
const MAX_DEPTH = 40;
/** Maximum length of a reference that is followed. */
const MAX_POINTER_LENGTH = 1000;

const subschemaMaps = new Set(['properties', 'dependentSchemas']);
const verbatim = new Set(['const', 'enum', 'default', 'examples', 'required', 'type', 'dependentRequired']);

/** A schema whose references are expanded, and its size: number of nodes, and of values in `enum` and `required`. */
export interface ExpandedSchema {
  readonly schema: Schema;
  readonly size: number;
}

/** Expanded schemas by identity, so that each tool's schema is expanded once. */
const expanded = new WeakMap<object, ExpandedSchema | null>();

/**
 * Expands a schema's local references so that checking is bounded: it fetches nothing, circular references
 * become "anything", and no caller's schema can hang or throw. Returns null if the schema is too large.
 */
export function expandSchema(root: Readonly<Record<string, unknown>>): ExpandedSchema | null {
  const cached = expanded.get(root);
  if (cached !== undefined) return cached;
  const expansion = new Expansion(root);
  const schema = expansion.expand(root, 0, new Set());
  const usable = isJsonObject(schema) && !expansion.isTooLarge;
  const result = usable ? { schema, size: expansion.nodes + expansion.values } : null;
  expanded.set(root, result);
  return result;
}

class Expansion {
  nodes = 0;
  /** Number of values listed in the schema, such as those of `enum`. */
  values = 0;
  #keywords = 0;
  readonly #root: object;
  readonly #targets = new Map<string, unknown>();

  constructor(root: object) {
    this.#root = root;
  }

  get isTooLarge(): boolean {
    return this.nodes > MAX_NODES || this.#keywords > MAX_KEYWORDS;
  }

  expand(schema: unknown, depth: number, references: ReadonlySet<string>): Schema | boolean {
    this.nodes += 1;
    if (typeof schema === 'boolean') return schema;
    if (!isJsonObject(schema) || depth > MAX_DEPTH || this.isTooLarge) return true;
    const keywords = Object.entries(schema);
    this.#keywords += keywords.length;
    const entries = keywords
      .filter(([keyword]) => keyword !== '$ref' && !leftOut.has(keyword) && !this.#depends(keyword, schema))
      .map(([keyword, value]) => [keyword, this.#expandKeyword(keyword, value, depth, references)]);
    const own: Schema = Object.fromEntries(entries);
    const reference = schema['$ref'];
    if (typeof reference !== 'string' || reference.length > MAX_POINTER_LENGTH) return own;
    if (references.has(reference)) return own;
    const target = this.expand(this.#target(reference), depth + 1, new Set([...references, reference]));
    if (entries.length === 0 || target === false) return target;
    if (target === true) return own;
    return { ...own, allOf: [...(own.allOf ?? []), target] };
  }

  #expandKeyword(keyword: string, value: unknown, depth: number, references: ReadonlySet<string>): unknown {
    if (verbatim.has(keyword)) {
      this.values += countParts(value);
      return value;
    }
    if (subschemaMaps.has(keyword) && isJsonObject(value)) {
      const entries = Object.entries(value).map(([key, each]) => [
        key,
        this.expand(each, depth + 1, references),
      ]);
      return Object.fromEntries(entries);
    }
    if (Array.isArray(value)) return value.map((each) => this.expand(each, depth + 1, references));
    return isJsonObject(value) ? this.expand(value, depth + 1, references) : value;
  }

  /** Whether the meaning of a keyword depends on `patternProperties`, which is ignored. */
  #depends(keyword: string, schema: Readonly<Record<string, unknown>>): boolean {
    return (
      (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') &&
      Object.hasOwn(schema, 'patternProperties')
    );
  }

  #target(reference: string): unknown {
    if (!this.#targets.has(reference)) this.#targets.set(reference, this.#find(reference));
    return this.#targets.get(reference);
  }

  /** Resolves `#` and `#/$defs/name`. Anything else, remote addresses included, becomes "anything". */
  #find(reference: string): unknown {
    const found = targetOf(this.#root, reference);
    return found === undefined ? true : found;
  }
}

/** Returns the part of a schema that a local reference such as `#/$defs/name` points to; undefined if there is none. */
export function targetOf(root: object, reference: string): unknown {
  if (reference === '#') return root;
  if (!reference.startsWith('#/')) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split('/')) {
    const key = decodePointer(part);
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** Decodes a part of a JSON pointer (RFC 6901 §4). */
export const decodePointer = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');

/** Counts the nested parts of a list or object. */
export function countParts(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let parts = 0;
  for (const each of Object.values(value)) parts += 1 + countParts(each);
  return parts;
}

/** Whether a part of a schema is itself a schema object, and not a boolean. */
export const isSchema = (value: unknown): value is Schema => isJsonObject(value);
