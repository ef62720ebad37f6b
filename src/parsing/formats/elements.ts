import { declaredTypes, ownSchema } from '../arguments/check-arguments.js';
import { expandSchema, isSchema } from '../arguments/expand-schema.js';
import type { OfferedTool } from '../arguments/offered-tool.js';
import { setOwn } from '../text/literals.js';
import type { JsonObject, JsonValue } from '../text/scanner.js';
import { readTypedText } from './typed-text.js';

type Declared = ReturnType<typeof ownSchema>;

const opener = /\s*\]<\]minimax\[>\[<([^\s<>/]{1,200})>/y;
const MAX_DEPTH = 40;

/**
 * Reads nested elements (MiniMax M3) as an object, or as a list if the schema declares one. Returns undefined if the
 * value does not consist of elements.
 */
export function readElements(
  text: string,
  tool: OfferedTool | undefined,
  key: string,
): JsonValue | undefined {
  const schema = tool?.inputSchema && expandSchema(tool.inputSchema)?.schema;
  return new ElementReader(text).readAll(ownSchema(schema ? schema.properties : undefined, key));
}

class ElementReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(declared: Declared): JsonValue | undefined {
    const value = this.#children(declared, 0);
    return value !== undefined && this.#text.slice(this.#at).trim() === '' ? value : undefined;
  }

  #children(declared: Declared, depth: number): JsonValue | undefined {
    const isList = declared !== null && declaredTypes(declared).has('array');
    const object: JsonObject = {};
    const items: JsonValue[] = [];
    let count = 0;
    for (let name = this.#open(); name !== null; name = this.#open()) {
      const inner = isList
        ? isSchema(declared.items) && declared.items
        : ownSchema(declared?.properties, name);
      const value = depth < MAX_DEPTH ? this.#value(name, inner || null, depth) : undefined;
      if (value === undefined) return undefined;
      if (isList) items.push(value);
      else setOwn(object, name, value);
      count += 1;
    }
    if (count === 0) return undefined;
    return isList ? items : object;
  }

  #open(): string | null {
    opener.lastIndex = this.#at;
    const found = opener.exec(this.#text);
    if (!found) return null;
    this.#at = opener.lastIndex;
    return found[1] ?? null;
  }

  #value(name: string, declared: Declared, depth: number): JsonValue | undefined {
    const close = `]<]minimax[>[</${name}>`;
    const start = this.#at;
    const nested = this.#children(declared, depth + 1);
    if (nested === undefined) this.#at = start;
    const end = nested === undefined ? this.#text.indexOf(close, start) : this.#text.indexOf(close, this.#at);
    if (end < 0 || (nested !== undefined && this.#text.slice(this.#at, end).trim() !== '')) return undefined;
    this.#at = end + close.length;
    if (nested !== undefined) return nested;
    const tool = {
      name,
      parameters: [name],
      inputSchema: { properties: declared ? { [name]: declared } : {} },
    };
    return readTypedText(this.#text.slice(start, end), { tool, key: name, spellings: new WeakMap() }).value;
  }
}
