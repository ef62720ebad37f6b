import { atOnce, inTurns, SLICE, type Sliced, type TakeTurn } from '../slices.js';
import {
  isDigit,
  isOneOf,
  isRestBlank,
  isWordCharacter,
  lineEnd,
  skipBlanks,
  skipDigits,
  skipRun,
} from '../text/characters.js';
import { readDefinitions } from './definitions.js';
import type { OfferedTool } from './offered-tool.js';
import { readParameters } from './parameter-list.js';

/**
 * Reads tools from free text in the forms people write (`available_tools_prompt_segment`): a JSON
 * list of definitions; lines such as `- read_file(path, start_line): reads`, `### search(query="…")`,
 * `def f(a: str, b: int = 3) -> str`; a heading with its parameters as bullets. The first mention of a
 * name counts; `[]` when none could be read. Linear in the segment (rule: linear-work).
 */
export function readSignatures(segment: string): OfferedTool[] {
  return atOnce(readInSlices(segment));
}

/**
 * The same in slices, for a process that serves others besides: after each, `take` is told how many characters
 * were read, and may wait. JSON that is one value is read in one go.
 */
export function readSignaturesInTurns(segment: string, take: TakeTurn): Promise<OfferedTool[]> {
  return inTurns(readInSlices(segment), take);
}

/** Yields the length of each slice that was read. */
function* readInSlices(segment: string): Sliced<OfferedTool[]> {
  const defined = yield* readDefinitions(segment);
  return defined ?? (yield* readLines(segment));
}

function* readLines(segment: string): Sliced<OfferedTool[]> {
  const lines = new SegmentReader(segment);
  for (let start = 0; !lines.readTo(start + SLICE); start = lines.position) yield lines.position - start;
  return lines.tools();
}

/** How a line introduces what it names. */
interface LineStart {
  readonly position: number;
  readonly heading: boolean;
  readonly bullet: boolean;
  readonly indented: boolean;
}

interface NamedTool extends OfferedTool {
  readonly parameters: string[];
}

interface Signature {
  readonly tool: NamedTool;
  readonly end: number;
}

/** Characters of lists that turn out to be none, for each character of the segment; then no more are looked at. */
const WASTE_ALLOWED = 2;

class SegmentReader {
  position = 0;
  readonly #text: string;
  readonly #tools = new Map<string, NamedTool>();
  /** Of those with bullets below them: most tools have none. */
  readonly #parameters = new Map<NamedTool, Set<string>>();
  #newest: NamedTool | null = null;
  /** A tool named without parentheses: the bullets below it are its parameters. */
  #open: NamedTool | null = null;
  #openedByHeading = false;
  #lineEnd = 0;
  #wasteLeft: number;

  constructor(text: string) {
    this.#text = text;
    this.#wasteLeft = WASTE_ALLOWED * text.length + SLICE;
  }

  /** Reads whole lines up to `end` or a little further; true when that was all. */
  readTo(end: number): boolean {
    while (this.position < Math.min(end, this.#text.length)) {
      const lineStart = this.position;
      this.#lineEnd = lineEnd(this.#text, lineStart);
      this.position = Math.max(this.#readLine(lineStart), this.#lineEnd + 1);
    }
    return this.position >= this.#text.length;
  }

  tools(): OfferedTool[] {
    return [...this.#tools.values()];
  }

  #add(tool: NamedTool): void {
    if (!this.#tools.has(tool.name)) this.#tools.set(tool.name, tool);
    this.#newest = tool;
  }

  #parametersOf(tool: NamedTool): Set<string> {
    const names = this.#parameters.get(tool) ?? new Set(tool.parameters);
    this.#parameters.set(tool, names);
    return names;
  }

  /** Returns how far it read; a signature may span lines. */
  #readLine(lineStart: number): number {
    if (isRestBlank(this.#text, lineStart, this.#lineEnd)) return 0;
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
    for (let signature = this.#readSignature(position); signature; ) {
      this.#add(signature.tool);
      this.#open = null;
      this.#openedByHeading = false;
      end = signature.end;
      const separator = skipBlanks(this.#text, skipDecoration(this.#text, end));
      const next = skipDecoration(this.#text, skipBlanks(this.#text, separator + 1));
      signature = isOneOf(',;|', this.#text, separator) ? this.#readSignature(next) : null;
    }
    return end;
  }

  /** `name(a, b)`, also `**name**(a, b)`. */
  #readSignature(position: number): Signature | null {
    const nameEnd = readName(this.#text, position);
    if (nameEnd === position || this.#wasteLeft < 0) return null;
    const open = skipDecoration(this.#text, nameEnd);
    if (this.#text.charAt(open) !== '(') return null;
    const { names, end } = readParameters(this.#text, open + 1);
    if (!names) this.#wasteLeft -= end - open;
    const name = this.#text.slice(position, nameEnd);
    return names && { tool: { name, parameters: names }, end };
  }

  /** "Use `read_file(path)` to read": signatures in inline code, or after a colon. */
  #readCodeSpans(position: number): void {
    const colon = this.#nextInLine(':', position);
    if (colon >= 0) {
      const afterColon = skipDecoration(this.#text, skipBlanks(this.#text, colon + 1));
      if (this.#readSignatures(afterColon) !== null) return;
    }
    for (let tick = this.#nextInLine('`', position); tick >= 0; ) {
      const signature = this.#readSignature(tick + 1);
      if (signature && this.#text.charAt(signature.end) === '`') this.#add(signature.tool);
      tick = this.#nextInLine('`', signature?.end ?? tick + 1);
    }
  }

  /** The next such character of this line, -1 if it has none. */
  #nextInLine(wanted: string, from: number): number {
    for (let at = from; at < this.#lineEnd; at += 1) if (this.#text.charAt(at) === wanted) return at;
    return -1;
  }

  #isParameter(name: string, line: LineStart): boolean {
    if (line.heading || !line.bullet) return false;
    if (this.#openedByHeading || line.indented) return true;
    return this.#newest !== null && this.#parametersOf(this.#newest).has(name);
  }

  #addParameter(name: string): void {
    if (!this.#open) return;
    const known = this.#parametersOf(this.#open);
    if (!known.has(name)) this.#open.parameters.push(name);
    known.add(name);
  }

  #addNamed(name: string, heading: boolean): void {
    const tool = { name, parameters: [] };
    this.#add(tool);
    this.#open = tool;
    this.#openedByHeading = heading;
  }
}

/** Past indentation, `#`, bullets, numbers, `def` and decoration. */
function introduce(text: string, lineStart: number): LineStart {
  let position = skipBlanks(text, lineStart);
  const indented = position - lineStart > 1;
  const heading = text.charAt(position) === '#';
  position = skipBlanks(text, skipRun(text, position, '#'));
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
  if (isOneOf('-*+•|', text, position) && isOneOf(' \t', text, position + 1)) return position + 1;
  const at = skipDigits(text, position, 4);
  return at > position && isOneOf('.)', text, at) ? at + 1 : position;
}

/** Past `**`, backticks and quotes around a name. */
function skipDecoration(text: string, position: number): number {
  let at = position;
  while (isOneOf('*`"\'', text, at)) at += 1;
  return at;
}

/** A name in bold or inline code, or one followed by `:`, `-` or the line's end. */
function readDecoratedName(text: string, position: number): { name: string; decorated: boolean } | null {
  const end = readName(text, position);
  if (end === position) return null;
  const after = skipDecoration(text, end);
  const decorated = after > end && isOneOf('*`"\'', text, position - 1);
  const next = text.slice(skipBlanks(text, after), skipBlanks(text, after) + 2);
  const followed = next === '' || /^(?:[:\n\r—–(]|- |->|\|)/.test(next);
  return followed && (decorated || /^[\p{Ll}_]/u.test(text.charAt(position)))
    ? { name: text.slice(position, end), decorated }
    : null;
}

/** A name starts with a letter or `_` and may hold `.`, `-` and `/` between word characters. */
function readName(text: string, position: number): number {
  const first = text.charCodeAt(position);
  if (!isWordCharacter(first) || isDigit(first)) return position;
  let end = position + 1;
  while (
    isWordCharacter(text.charCodeAt(end)) ||
    (isOneOf('.-/', text, end) && isWordCharacter(text.charCodeAt(end + 1)))
  ) {
    end += 1;
  }
  return end;
}
