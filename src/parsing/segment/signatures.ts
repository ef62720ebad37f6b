import { MAX_TOOLS, type OfferedTool } from '../arguments/offered-tool.js';
import type { Pause } from '../pause.js';
import { isOneOf, isRestBlank, lineEnd, skipBlanks } from '../text/characters.js';
import { DefinitionReader } from './definitions.js';
import {
  type DecoratedName,
  introduce,
  type LineStart,
  readDecoratedName,
  readName,
  skipDecoration,
} from './line-start.js';
import { readParameters } from './parameter-list.js';

/**
 * Reads tools from free text in the usual forms (`available_tools_prompt_segment`): a JSON list of definitions; lines
 * such as `- read_file(path, start_line): reads`, `### search(query="…")`, `def f(a: str, b: int = 3) -> str`; a
 * heading with its parameters as bullets. If a name occurs twice, its first mention is used. Returns `[]` if no tool is
 * readable. Takes linear time (rule: linear-work).
 */
export function readSignatures(segment: string): OfferedTool[] {
  const definitions = new DefinitionReader(segment);
  while (definitions.readLine());
  if (definitions.tools.length > 0) return definitions.tools;
  const signatures = new SignatureReader(segment);
  while (signatures.readLine());
  return signatures.tools;
}

/**
 * Works as `readSignatures`, but awaits `pause` after each line, since a segment of several megabytes takes
 * over a second.
 */
export async function readSignaturesPausing(segment: string, pause: Pause): Promise<OfferedTool[]> {
  for (const reader of [new DefinitionReader(segment), new SignatureReader(segment)]) {
    while (reader.readLine()) {
      const pausing = pause();
      if (pausing) await pausing; // A promise for each of a million lines would cost more than reading them.
    }
    if (reader.tools.length > 0) return reader.tools;
  }
  return [];
}

interface NamedTool extends OfferedTool {
  readonly parameters: string[];
}

interface Signature {
  readonly tool: NamedTool;
  readonly end: number;
}

/** Number of characters of unreadable parameter lists that may be read for each character of the segment. */
const WASTE_ALLOWED = 2;
/**
 * Number of characters of unreadable parameter lists that are always allowed, so that a short segment may hold a few of
 * them.
 */
const MIN_WASTE_ALLOWED = 2 ** 15;

/**
 * The part to read next: a line, or the rest of a line that began with a signature or may hold code spans.
 */
type Reading = 'line' | 'signatures' | 'spans';

/** A character after which a signature may begin within a line. */
type Introducer = ':' | '`';

class SignatureReader {
  readonly #text: string;
  readonly #tools = new Map<string, NamedTool>();
  /** Parameter names of tools that list them as bullets; most tools do not. */
  readonly #parameters = new Map<NamedTool, Set<string>>();
  #newest: NamedTool | null = null;
  /** The last tool named without parentheses; bullets below it are its parameters. */
  #open: NamedTool | null = null;
  #openedByHeading = false;
  #reading: Reading = 'line';
  #position = 0;
  #lineEnd = 0;
  readonly #next: Record<Introducer, number> = { ':': -1, '`': -1 };
  #wasteLeft: number;

  constructor(text: string) {
    this.#text = text;
    this.#wasteLeft = WASTE_ALLOWED * text.length + MIN_WASTE_ALLOWED;
  }

  get tools(): OfferedTool[] {
    return [...this.#tools.values()];
  }

  /** Reads a line, or the next part of a line with several signatures; false at the end. */
  readLine(): boolean {
    if (this.#position >= this.#text.length || this.#tools.size >= MAX_TOOLS) return false;
    if (this.#reading === 'line') this.#beginLine();
    else if (this.#reading === 'signatures') this.#readFurtherSignature();
    else this.#readCodeSpan();
    return true;
  }

  /** Moves to the next line, or stays after a signature that spanned several lines. */
  #endLine(): void {
    this.#position = Math.max(this.#position, this.#lineEnd + 1);
    this.#reading = 'line';
  }

  #beginLine(): void {
    this.#lineEnd = lineEnd(this.#text, this.#position);
    if (isRestBlank(this.#text, this.#position, this.#lineEnd)) this.#endLine();
    else this.#readWords(introduce(this.#text, this.#position));
  }

  #readWords(line: LineStart): void {
    if (this.#beginSignatures(line.position)) return;
    const named = readDecoratedName(this.#text, line.position);
    if (named) this.#readNamed(named, line);
    else this.#beginCodeSpans(line.position);
  }

  #readNamed({ name, decorated }: DecoratedName, line: LineStart): void {
    if (this.#isParameter(name, line)) this.#addParameter(name);
    else if ((line.heading || decorated || line.bullet) && !line.indented) this.#addNamed(name, line.heading);
    this.#endLine();
  }

  /**
   * Reads a signature. If it succeeds, further ones that are separated by commas are read next; false if there is none.
   */
  #beginSignatures(position: number): boolean {
    const signature = this.#readSignature(position);
    if (!signature) return false;
    this.#add(signature.tool);
    this.#open = null;
    this.#openedByHeading = false;
    this.#position = signature.end;
    this.#reading = 'signatures';
    return true;
  }

  #readFurtherSignature(): void {
    const separator = skipBlanks(this.#text, skipDecoration(this.#text, this.#position));
    const next = skipDecoration(this.#text, skipBlanks(this.#text, separator + 1));
    if (!isOneOf(',;|', this.#text, separator) || !this.#beginSignatures(next)) this.#endLine();
  }

  /** Reads `name(a, b)` or `**name**(a, b)`. */
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

  /** Reads signatures in inline code or after a colon, as in "Use `read_file(path)` to read". */
  #beginCodeSpans(position: number): void {
    const colon = this.#nextInLine(':', position);
    if (colon >= 0) {
      const afterColon = skipDecoration(this.#text, skipBlanks(this.#text, colon + 1));
      if (this.#beginSignatures(afterColon)) return;
    }
    this.#position = position;
    this.#reading = 'spans';
  }

  #readCodeSpan(): void {
    const tick = this.#nextInLine('`', this.#position);
    const signature = tick < 0 ? null : this.#readSignature(tick + 1);
    if (signature && this.#text.charAt(signature.end) === '`') this.#add(signature.tool);
    if (tick < 0) this.#endLine();
    else this.#position = signature?.end ?? tick + 1;
  }

  /** Returns the position of the next such character in this line, or -1. Must be called with ascending positions. */
  #nextInLine(wanted: Introducer, from: number): number {
    if (this.#next[wanted] < from) {
      const next = this.#text.indexOf(wanted, from);
      this.#next[wanted] = next < 0 ? this.#text.length : next;
    }
    return this.#next[wanted] < this.#lineEnd ? this.#next[wanted] : -1;
  }

  #add(tool: NamedTool): void {
    if (!this.#tools.has(tool.name)) this.#tools.set(tool.name, tool);
    this.#newest = tool;
  }

  #isParameter(name: string, line: LineStart): boolean {
    if (line.heading || !line.bullet) return false;
    if (this.#openedByHeading || line.indented) return true;
    return this.#newest !== null && this.#parametersOf(this.#newest).has(name);
  }

  #addParameter(name: string): void {
    if (!this.#open) return;
    const names = this.#parametersOf(this.#open);
    if (!names.has(name)) this.#open.parameters.push(name);
    names.add(name);
  }

  #parametersOf(tool: NamedTool): Set<string> {
    const existing = this.#parameters.get(tool);
    if (existing) return existing;
    const names = new Set(tool.parameters);
    this.#parameters.set(tool, names);
    return names;
  }

  #addNamed(name: string, heading: boolean): void {
    const tool = { name, parameters: [] };
    this.#add(tool);
    this.#open = tool;
    this.#openedByHeading = heading;
  }
}
