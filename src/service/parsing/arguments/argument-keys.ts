import { isKeyCharacter, skipBlanks } from '../text/characters.js';
import type { OfferedTool } from './offered-tool.js';

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
   * Whether a bare word is a parameter as a signature has it, `path` or `path?`: any in a place without a name, its own in
   * one with a name (`path=path`).
   */
  isCopied(key: string | null, value: unknown): value is string {
    if (typeof value !== 'string') return false;
    const name = value.replace(/\?$/, '');
    return (this.#parameters?.has(name) ?? false) && (key === null || key === name);
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
