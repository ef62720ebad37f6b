import { isKeyCharacter, isOneOf, skipBlanks } from '../text/characters.js';
import type { OfferedTool } from './offered-tool.js';

/** Names of types in signatures of Python, TypeScript and JSON Schema. */
const typeNames = new Set(['str', 'string', 'int', 'integer', 'float', 'number', 'bool', 'boolean']);

/** Matches a key before or after a separator of full width, which ends no key or value: `path：a`, `a，start_line=3`. */
const wideKey = /^([\w.-]+)[：＝]|[，；]\s*([\w.-]+)\s*[=:：＝]/g;

/** The allowed names of a call's arguments. If the tool's parameters are unknown, any name is allowed. */
export class ArgumentKeys {
  readonly #parameters: ReadonlySet<string> | null;

  constructor(tool: OfferedTool | undefined) {
    this.#parameters = tool && tool.parameters.length > 0 ? new Set(tool.parameters) : null;
  }

  /**
   * Whether the word of a label such as `path:` may be a parameter. If the parameters are unknown, any lower-case word
   * may be one (rule: literals-first).
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

  /** Whether unquoted text has a parameter's name beside a separator of full width, so that it is no single value. */
  areIn(value: string): boolean {
    const keys = value.matchAll(wideKey);
    return [...keys].some(([, first, later = first ?? '']) => this.#parameters?.has(later));
  }

  /** Whether the character at `separator` ends the key `name`. The `=` of `==` and the `:` of `https://` do not. */
  endsAt(text: string, separator: number, name: string): boolean {
    const next = text.charAt(separator + 1);
    if (text.charAt(separator) === '=') return next !== '=' && next !== '>';
    if (text.charAt(separator) !== ':') return false;
    return !this.#parameters || this.#parameters.has(name) || (next !== '/' && next !== '\\');
  }

  /** Whether a declared parameter with its separator follows the value that ends at `position`, without a comma. */
  followAt(text: string, position: number): boolean {
    const gap = skipBlanks(text, position);
    const at = isOneOf(';', text, gap) ? skipBlanks(text, gap + 1) : gap;
    return this.#parameters !== null && at > position && this.beginsAt(text, at);
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
