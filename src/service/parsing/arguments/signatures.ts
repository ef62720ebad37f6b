import { isWordCharacter, lineEnd, skipBlanks } from '../text/characters.js';
import { readDefinitions } from './definitions.js';
import type { OfferedTool } from './offered-tool.js';
import { readParameters } from './parameter-list.js';

/**
 * Reads tools from free text in the forms people write (`available_tools_prompt_segment`): a JSON
 * list of definitions; lines such as `- read_file(path, start_line): reads`, `### search(query="…")`,
 * `def f(a: str, b: int = 3) -> str`; a heading with its parameters as bullets. The first mention of a
 * name counts; `[]` when none could be read.
 */
export function readSignatures(segment: string): OfferedTool[] {
  const found = readDefinitions(segment) ?? new SegmentReader(segment).read();
  const byName = new Map<string, OfferedTool>();
  for (const tool of found) if (!byName.has(tool.name)) byName.set(tool.name, tool);
  return [...byName.values()];
}

/** How a line introduces what it names. */
interface LineStart {
  readonly position: number;
  readonly heading: boolean;
  readonly bullet: boolean;
  readonly indented: boolean;
}

interface Signature {
  readonly tool: { name: string; parameters: string[] };
  readonly end: number;
}

class SegmentReader {
  readonly #text: string;
  readonly #tools: { name: string; parameters: string[] }[] = [];
  /** A tool named without parentheses: the bullets below it are its parameters. */
  #open: { name: string; parameters: string[] } | null = null;
  #openedByHeading = false;

  constructor(text: string) {
    this.#text = text;
  }

  read(): OfferedTool[] {
    for (let start = 0; start < this.#text.length; ) {
      start = Math.max(this.#readLine(start), lineEnd(this.#text, start) + 1);
    }
    return this.#tools;
  }

  /** Returns how far it read; a signature may span lines. */
  #readLine(lineStart: number): number {
    const line = introduce(this.#text, lineStart);
    const end = this.#readSignatures(line.position);
    if (end !== null) return end;
    const named = readDecoratedName(this.#text, line.position);
    if (named && this.#isParameter(named.name, line)) this.#addParameter(named.name);
    else if (named && (line.heading || named.decorated || line.bullet) && !line.indented)
      this.#addNamed(named.name, line.heading);
    else if (!named) this.#readCodeSpans(line.position);
    return 0;
  }

  /** One or more signatures from here on, separated by commas; null if none stands here. */
  #readSignatures(position: number): number | null {
    let end: number | null = null;
    for (let signature = readSignature(this.#text, position); signature; ) {
      this.#tools.push(signature.tool);
      this.#open = null;
      this.#openedByHeading = false;
      end = signature.end;
      const separator = skipBlanks(this.#text, skipDecoration(this.#text, end));
      const more = ',;|'.includes(this.#text.charAt(separator) || ' ');
      signature = more
        ? readSignature(this.#text, skipDecoration(this.#text, skipBlanks(this.#text, separator + 1)))
        : null;
    }
    return end;
  }

  /** "Use `read_file(path)` to read": signatures in inline code, or after a colon. */
  #readCodeSpans(position: number): void {
    const end = lineEnd(this.#text, position);
    const colon = this.#text.indexOf(':', position);
    if (colon >= 0 && colon < end) {
      const afterColon = skipDecoration(this.#text, skipBlanks(this.#text, colon + 1));
      if (this.#readSignatures(afterColon) !== null) return;
    }
    let tick = this.#text.indexOf('`', position);
    while (tick >= 0 && tick < end) {
      const signature = readSignature(this.#text, tick + 1);
      if (signature && this.#text.charAt(signature.end) === '`') this.#tools.push(signature.tool);
      tick = this.#text.indexOf('`', signature?.end ?? tick + 1);
    }
  }

  #isParameter(name: string, line: LineStart): boolean {
    if (line.heading || !line.bullet) return false;
    return this.#openedByHeading || line.indented || (this.#tools.at(-1)?.parameters.includes(name) ?? false);
  }

  #addParameter(name: string): void {
    if (this.#open && !this.#open.parameters.includes(name)) this.#open.parameters.push(name);
  }

  #addNamed(name: string, heading: boolean): void {
    const tool = { name, parameters: [] };
    this.#tools.push(tool);
    this.#open = tool;
    this.#openedByHeading = heading;
  }
}

/** Past indentation, `#`, bullets, numbers, `def` and decoration. */
function introduce(text: string, lineStart: number): LineStart {
  let position = skipBlanks(text, lineStart);
  const indented = position - lineStart > 1;
  const heading = text.charAt(position) === '#';
  while (text.charAt(position) === '#') position += 1;
  position = skipBlanks(text, position);
  const bullet = bulletEnd(text, position);
  const isBullet = bullet > position;
  position = skipDecoration(text, skipBlanks(text, bullet));
  const keyword = ['async def ', 'def ', 'async function ', 'function ', 'Action: ', 'Tool: ', 'tool: '].find(
    (each) => text.startsWith(each, position),
  );
  if (keyword) position = skipDecoration(text, skipBlanks(text, position + keyword.length));
  return { position, heading, bullet: isBullet, indented };
}

function bulletEnd(text: string, position: number): number {
  if ('-*+•|'.includes(text.charAt(position) || ' ') && ' \t'.includes(text.charAt(position + 1) || 'x')) {
    return position + 1;
  }
  let at = position;
  while (at - position < 4 && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at += 1;
  return at > position && '.)'.includes(text.charAt(at) || ' ') ? at + 1 : position;
}

/** Past `**`, backticks and quotes around a name. */
function skipDecoration(text: string, position: number): number {
  let at = position;
  while ('*`"\''.includes(text.charAt(at) || ' ')) at += 1;
  return at;
}

/** `name(a, b)`, also `**name**(a, b)`. */
function readSignature(text: string, position: number): Signature | null {
  const nameEnd = readName(text, position);
  if (nameEnd === position) return null;
  const open = skipDecoration(text, nameEnd);
  if (text.charAt(open) !== '(') return null;
  const list = readParameters(text, open + 1);
  return list && { tool: { name: text.slice(position, nameEnd), parameters: list.names }, end: list.end };
}

/** A name in bold or inline code, or one followed by `:`, `-` or the line's end. */
function readDecoratedName(text: string, position: number): { name: string; decorated: boolean } | null {
  const end = readName(text, position);
  if (end === position) return null;
  const after = skipDecoration(text, end);
  const decorated = after > end && position > 0 && '*`"\''.includes(text.charAt(position - 1));
  const next = text.slice(skipBlanks(text, after), skipBlanks(text, after) + 2);
  const followed = next === '' || /^(?:[:\n\r—–(]|- |->|\|)/.test(next);
  return followed && (decorated || /^[\p{Ll}_]/u.test(text.charAt(position)))
    ? { name: text.slice(position, end), decorated }
    : null;
}

/** A name starts with a letter or `_` and may hold `.`, `-` and `/` between word characters. */
function readName(text: string, position: number): number {
  const first = text.charCodeAt(position);
  if (!isWordCharacter(first) || (first >= 48 && first <= 57)) return position;
  let end = position + 1;
  while (
    isWordCharacter(text.charCodeAt(end)) ||
    ('.-/'.includes(text.charAt(end) || ' ') && isWordCharacter(text.charCodeAt(end + 1)))
  ) {
    end += 1;
  }
  return end;
}
