import { declaredTypes, ownSchema } from '../arguments/check-arguments.js';
import { expandSchema } from '../arguments/expand-schema.js';
import type { OfferedTool } from '../arguments/offered-tool.js';
import { skipSpace } from '../text/characters.js';
import { isJson, readJsonValue } from '../text/literals.js';
import { type JsonValue, type Repair, Scanner, type Spellings } from '../text/scanner.js';

/** A value and the repairs that its reading needed. */
export interface TypedText {
  readonly value: JsonValue;
  readonly repairs: readonly Repair[];
}

/** The order in which the reader tries the types of a parameter with several types. It takes the first that fits. */
const typeOrder = ['null', 'integer', 'number', 'boolean', 'object', 'array'] as const;

/**
 * Reads raw text as a value of the parameter's declared type (rule: typed-text). Without a declared type, a JSON
 * literal is read as its value and other text stays text; both are reported as a repair. The check of the arguments
 * coerces or reports text that fits no declared type.
 */
export function readTypedText(
  text: string,
  { tool, key, spellings }: { tool: OfferedTool | undefined; key: string; spellings: Spellings },
): TypedText {
  const declared = tool?.inputSchema && ownSchema(expandSchema(tool.inputSchema)?.schema.properties, key);
  const values = declared ? enumValues(declared.enum ?? declared.const) : [];
  const types = declared ? declaredTypes(declared) : new Set<string>();
  if (types.size === 0 && values.length === 0) return untyped(text, spellings);
  if (values.length > 0 && values.includes(text)) return { value: text, repairs: [] };
  const kinds = types.size > 0 ? types : new Set(values.map(typeOf));
  const literal = kinds.size === 1 && kinds.has('string') ? undefined : readLiteral(text, spellings);
  for (const type of typeOrder) {
    if (kinds.has(type) && literal !== undefined && isOf(literal.value, type)) return literal;
  }
  // Values that do not fit are left to the check of the arguments: it may coerce a literal of another type, and drops
  // null for an optional parameter.
  return literal !== undefined && !kinds.has('string') ? literal : { value: text, repairs: [] };
}

/** Reads text whose tag declares a type other than string: as one JSON value if possible, else as text. */
export function readJsonText(text: string, spellings: Spellings): TypedText {
  return readLiteral(text, spellings) ?? { value: text, repairs: [] };
}

function enumValues(declared: unknown): readonly unknown[] {
  return declared === undefined ? [] : [declared].flat();
}

function untyped(text: string, spellings: Spellings): TypedText {
  const literal = isJson(text) ? readLiteral(text, spellings) : undefined;
  return { value: literal === undefined ? text : literal.value, repairs: ['untyped_text'] };
}

/** Reads a text that consists of one JSON or Python literal. Booleans may be upper or lower case. */
function readLiteral(text: string, spellings: Spellings): TypedText | undefined {
  const trimmed = text.trim();
  if (/^(?:true|false)$/i.test(trimmed)) return { value: trimmed.toLowerCase() === 'true', repairs: [] };
  const scanner = new Scanner(trimmed, 0, { spellings });
  const value = trimmed === '' ? undefined : readJsonValue(scanner);
  if (value === undefined || skipSpace(trimmed, scanner.position) < trimmed.length) return undefined;
  return { value, repairs: [...scanner.repairs] };
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const isOf = (value: JsonValue, type: string): boolean =>
  typeOf(value) === type || (type === 'number' && typeof value === 'number');
