import { isKeyCharacter, skipBlanks } from '../text/characters.js';
import type { OfferedTool } from './offered-tool.js';

/** Names of types in signatures of Python, TypeScript and JSON Schema. */
const typeNames = new Set(['str', 'string', 'int', 'integer', 'float', 'number', 'bool', 'boolean']);

/** The allowed names of a call's arguments; any name if the tool's parameters are unknown. */
export class ArgumentKeys {
  readonly #parameters: ReadonlySet<string> | null;

  constructor(tool: OfferedTool | undefined) {
    this.#parameters = tool && tool.parameters.length > 0 ? new Set(tool.parameters) : null;
  }

  /**
   * Whether a label may be a parameter; if the parameters are unknown, a lower-case one may be (rule:
   * literals-first).
   */
  mayBeLabel(word: string): boolean {
    return this.#parameters ? this.#parameters.has(word) : word === word.toLowerCase();
  }

  /**
   * Returns whether an unquoted word in place of a value is copied from the signature of the tool: a parameter
   * (`path`, `path?`) without a key or under its own name (`path=path`), or a type after a colon (`path: str`).
   * Null for a real value.
   */
  copiedPart(key: string | null, separator: string, value: string): 'parameter' | 'type' | null {
    const name = value.replace(/\?$/, '');
    if (this.#parameters?.has(name) && (key === null || key === name)) return 'parameter';
    return key !== null && separator === ':' && typeNames.has(name) ? 'type' : null;
  }

  /** Whether a separator ends a key. In `==` and `https://` it does not. */
  endsAt(text: string, separator: number, name: string): boolean {
    const next = text.charAt(separator + 1);
    if (text.charAt(separator) === '=') return next !== '=' && next !== '>';
    if (text.charAt(separator) !== ':') return false;
    return !this.#parameters || this.#parameters.has(name) || (next !== '/' && next !== '\\');
  }

  /** Whether a key with its separator begins at `position`. */
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
