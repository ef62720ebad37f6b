import { isKeyCharacter, skipBlanks } from '../text/characters.js';
import type { OfferedTool } from './offered-tool.js';

/** Names of types in signatures of Python, TypeScript and JSON Schema. */
const typeNames = new Set(['str', 'string', 'int', 'integer', 'float', 'number', 'bool', 'boolean']);

/** The names that arguments of a call may have; any, where the tool's parameters are not known. */
export class ArgumentKeys {
  readonly #parameters: ReadonlySet<string> | null;

  constructor(tool: OfferedTool | undefined) {
    this.#parameters = tool && tool.parameters.length > 0 ? new Set(tool.parameters) : null;
  }

  /** Whether a label is a parameter; where none are known, one in lower case is (rule: literals-first). */
  mayBeLabel(word: string): boolean {
    return this.#parameters ? this.#parameters.has(word) : word === word.toLowerCase();
  }

  /**
   * Returns which part of a copied signature a bare word is: a parameter (`path`, `path?`) in a place without a name or
   * in that of its own name (`path=path`), or a type after a colon (`path: str`). Null for a value.
   */
  copiedPart(key: string | null, separator: string, value: string): 'parameter' | 'type' | null {
    const name = value.replace(/\?$/, '');
    if (this.#parameters?.has(name) && (key === null || key === name)) return 'parameter';
    return key !== null && separator === ':' && typeNames.has(name) ? 'type' : null;
  }

  /** Whether a key ends at a separator. `==` compares and `https://` is an address: neither is one. */
  endsAt(text: string, separator: number, name: string): boolean {
    const next = text.charAt(separator + 1);
    if (text.charAt(separator) === '=') return next !== '=' && next !== '>';
    if (text.charAt(separator) !== ':') return false;
    return !this.#parameters || this.#parameters.has(name) || (next !== '/' && next !== '\\');
  }

  /** Whether a key with its separator begins here. */
  beginsAt(text: string, position: number): boolean {
    const quoted = '"\''.includes(text.charAt(position) || ' ');
    const start = quoted ? position + 1 : position;
    let end = start;
    while (isKeyCharacter(text.charCodeAt(end))) end += 1;
    const name = text.slice(start, end);
    const separator = skipBlanks(text, quoted ? end + 1 : end);
    return name !== '' && (this.#parameters?.has(name) ?? true) && this.endsAt(text, separator, name);
  }
}
