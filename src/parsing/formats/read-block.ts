import type { OfferedTools } from '../arguments/offered-tool.js';
import { holdsArguments, isArgumentKey, readJsonCalls } from '../dialects/json-object.js';
import { readNamedTag } from '../dialects/tags.js';
import { type CallReading, unreadable, type WholeCall, withArguments } from '../dialects/written-call.js';
import {
  escaped,
  FixedWords,
  isOneOf,
  lineEnd,
  matchEnd,
  skipLanguage,
  skipSpace,
} from '../text/characters.js';
import { chatTokenAt, opensOtherTurn, TO_USER } from '../text/chat-tokens.js';
import { readValue } from '../text/literals.js';
import { isJsonObject, Scanner } from '../text/scanner.js';
import { type CallRow, callRows, callWords, lineCallWords, namedRows, toolElements } from './call-rows.js';
import { GEMMA_STRIPPED, gemmaWords, readGemmaCall } from './gemma.js';
import { hintedName, namedCall, offeredName } from './hinted-name.js';
import {
  type Beginnings,
  CALL_FENCE,
  closerEnd,
  closerSource,
  lineMarkWords,
  type Mark,
  markAt,
  markWords,
  mayBeginAt,
} from './marks.js';
import { assignmentEnd, readPythonCalls, readPythonStatement } from './python-calls.js';
import { type CallHead, NextMatches, TaggedArguments } from './tagged-arguments.js';

/** Texts with which a block of native tool calls may begin anywhere in a line. */
export const blockWords: readonly string[] = [...new Set([...markWords, ...callWords, ...gemmaWords])];
const wordsAtLineStart = new FixedWords([...lineMarkWords, ...lineCallWords, GEMMA_STRIPPED], 0);
const wordsAnywhere = new FixedWords(blockWords, 1);
const namespaced = /<[a-z][\w-]{0,15}:(?:invoke|function_calls?|tool_calls?)\b/y;

/** Whether the text at `position` may open a block of native tool calls, so that reading it as one is worth a try. */
export function opensBlock(text: string, position: number): boolean {
  if (!isOneOf('<[]', text, position) || text.startsWith(TO_USER, position)) return false;
  if (wordsAnywhere.at(text, position) !== undefined) return true;
  return matchEnd(namespaced, text, position) !== null;
}

/** Whether the text before `end` ends in an opening mark, such as `<tool_call>`. */
export function endsInMark(text: string, end: number): boolean {
  const start = Math.max(text.lastIndexOf('<', end), text.lastIndexOf('[', end));
  if (start < 0) return false;
  return markAt(text, start, true)?.end === end || blockWords.includes(text.slice(start, end));
}

/** Matches a tag or token that is cut off, and an opening mark with the beginning of a tool's name. */
const cutToken = /^<[|｜][^\s<>]{1,40}$/;
const cutOpening = /^[<[][^\s<>]{1,40}>?(?: name=["']?)?[\w.-]{0,200}$/;
const MIN_CUT_LENGTH = 3;

/** Returns whether the text ends within an opening mark of a native tool call, or directly after it or its tool's name. */
export function endsInOpening(text: string): boolean {
  const at = Math.max(text.lastIndexOf('<'), text.lastIndexOf('['));
  const rest = text.slice(Math.max(at, 0));
  if (at < 0 || rest.length < MIN_CUT_LENGTH || text.charAt(at - 1) === '`') return false;
  if (cutToken.test(rest) || wordsAnywhere.isUnderWay(text, at)) return true;
  return opensBlock(text, at) && cutOpening.test(rest);
}

/**
 * Whether the text at `position` opens a native tool call but looks like Markdown: `>>>` like a block quote,
 * "```tool_code" like a code fence.
 */
export const opensQuotedLine = (text: string, position: number): boolean =>
  text.startsWith('>>>', position) || text.startsWith(CALL_FENCE, position);

/**
 * Whether a block of native tool calls may begin at the start of a line that is still arriving; `'partial'` if more
 * text is needed to decide.
 */
export function mayBeginBlockLine(text: string, position: number, tools: OfferedTools): boolean | 'partial' {
  if (wordsAtLineStart.at(text, position) !== undefined) return true;
  if (position >= text.length || wordsAtLineStart.isUnderWay(text, position)) return 'partial';
  if (text.charAt(position) === '<') return mayBeElement(text, position, tools);
  return mayBeNamed(text, position, tools);
}

function mayBeElement(text: string, position: number, tools: OfferedTools): boolean | 'partial' {
  if (tools.mayGoOnToName(text, position + 1)) return 'partial';
  const end = tools.nameEnd(text, position + 1);
  if (!tools.find(text.slice(position + 1, end))) return false;
  return end >= text.length ? 'partial' : text.charAt(end) === '>';
}

/** Texts which show, after a tool's name, that the name belongs to a call whose opening mark was lost. */
const afterName = [
  '{',
  '<arg_key',
  '<ifm|arg_key',
  '<longcat_arg_key',
  '</tool_call',
  '</ifm|tool_call',
  '</iquest_tool_call',
  '</longcat_tool_call',
  '<tool_sep',
  '[ARGS]',
  '[CALL_ID]',
  '<|tool_',
  '<｜tool',
  ':',
  '\\n',
];
const MAX_AFTER_NAME = Math.max(...afterName.map((each) => each.length));

function mayBeNamed(text: string, position: number, tools: OfferedTools): boolean | 'partial' {
  const start = text.startsWith('functions.', position) ? position + 'functions.'.length : position;
  if (tools.mayGoOnToName(text, start)) return 'partial';
  const end = tools.nameEnd(text, start);
  if (!tools.find(text.slice(start, end).replace(/:\d{0,9}$/, ''))) return false;
  const next = skipSpace(text, end);
  if (next - end > 8) return false;
  if (next >= text.length) return 'partial';
  const rest = text.slice(next, next + MAX_AFTER_NAME);
  if (afterName.some((each) => rest.startsWith(each))) return true;
  return afterName.some((each) => each.startsWith(rest) && next + rest.length >= text.length)
    ? 'partial'
    : false;
}

/** Describes where a block of native tool calls may begin. */
export interface BlockPlace {
  /** True if only spaces, tabs, reasoning or chat tokens precede the block on its line. */
  readonly startsLine: boolean;
}

/**
 * Reads a block of native tool calls: its opening and closing marks, and all its calls (rule: native-formats). Returns
 * null if the text after the opening mark has none of the known forms, so that the reply only mentions the mark.
 */
export function readBlock(
  text: string,
  start: number,
  tools: OfferedTools,
  place: BlockPlace = { startsLine: true },
): CallReading | null {
  return new BlockReader(text, tools).read(start, place);
}

/**
 * Reads a block at the start of a reply whose first opening mark is missing, because the prompt already ends with it or
 * a server removed it. Returns null unless the first call is followed by a closing mark.
 */
export function readOpenedBlock(text: string, start: number, tools: OfferedTools): CallReading | null {
  return new BlockReader(text, tools).readOpened(start);
}

/** Matches the opening mark of a call in which the tool's name directly follows the mark. */
const MARKED_CALL =
  '<(?:ifm\\||iquest_|longcat_)?tool_call(?::[\\w.-]{1,40})?>\\s{0,8}[^<\\s]{1,200}\\s{0,8}<(?:(?:ifm\\||longcat_)?arg_key|tool_sep|/(?:ifm\\||iquest_|longcat_)?tool_call)|<\\|tool_call:start\\|>';

/** Matches what may precede the name of a tool in a form that cannot be read. */
const beforeName = /[\s:"'`*([{]{0,8}(?:name["']?\s{0,4}[:=]\s{0,4}["']?)?/y;

/** Matches the first tags of arguments where the name of a tool is expected. */
const namelessArguments =
  /<(?:[|｜]{1,2}\w{4}[|｜]{1,2} ?|[\w-]{1,16}:)?(?:parameter|param)[\s=]|(?:[\w.-]{1,200}<\/|<)(?:ifm\|)?arg_key>/y;

/** Matches a mark of a call, or white space around it. Some marks include the text up to the next one. */
const MARK = [
  '<\\|(?:open|channel|constrain)\\|>[^<>\\n]{0,200}(?=[<\\n]|$)',
  '<(?!\\|(?:open|channel|constrain)\\|>)[^/<>\\n][^<>(\\n]{0,200}>',
  '\\[[A-Z_]{4,20}\\]|\\]<\\]minimax\\[>\\[|\\s',
].join('|');
/** Matches the opening marks of a call, the last of which may be cut off, and at most one word between them. */
const openingMarks = new RegExp(
  `^(?:${MARK})*(?:function|(?:assistant ?|commentary |analysis )?to=)?[\\w.:-]{0,200}(?:${MARK})*(?:<[^<>\\n]{0,200}|\\[[A-Z_]{0,20}|\\]<?\\]?\\w{0,7}\\[?>?)?$`,
);
/** Maximum length of the opening marks of a call. */
const MAX_OPENING = 400;

/** Maximum number of opening marks that are not closed yet. Real sections and calls nest at most three deep. */
const MAX_MARKS = 8;
/** Maximum number of calls in one block; later ones are discarded. */
const MAX_CALLS = 128;

class BlockReader {
  readonly #text: string;
  readonly #tools: OfferedTools;
  readonly #matches: NextMatches;
  readonly #calls: WholeCall[] = [];
  /**
   * Patterns of the tags of calls whose values have no quotes. If one of their closing tags is left over after the
   * block, the reader ended a value too early.
   */
  readonly #raw = new Map<string, { opens: string; closes: string }>();
  /** The last opening mark that was read. */
  #mark: Mark | null = null;
  #depth = 0;
  /** True if Python code of the block has assigned the result of a call to a variable. */
  #hasVariable = false;
  /** Number of code fences that the block opened and that are not closed yet. */
  #fences = 0;
  /** True if a call and then a mark were read, without an opening mark before them. */
  #lacksOpener = false;
  /** End of the last call, or of the closing mark after it. */
  #end = 0;
  #startsLine = false;

  constructor(text: string, tools: OfferedTools) {
    this.#text = text;
    this.#tools = tools;
    this.#matches = new NextMatches(text);
  }

  read(start: number, place: BlockPlace): CallReading | null {
    this.#end = start;
    this.#startsLine = place.startsLine;
    for (let at = start; ; ) {
      const startsLine = place.startsLine || at > start;
      const next = this.#enterMark(at, startsLine) ?? this.#leaveMark(at);
      const mayRead = next === null && this.#calls.length < MAX_CALLS;
      const reading = mayRead ? this.#readCall(at, startsLine) : null;
      if (reading?.kind === 'call') this.#end = reading.blockEnd ?? reading.end;
      else if (next === null) return this.#finish(start, at, { reading, place });
      at = next ?? this.#skipGap(this.#end);
    }
  }

  /** Reads a block as if its opening mark were before `start`. */
  readOpened(start: number): CallReading | null {
    this.#depth = 1;
    const reading = this.read(start, { startsLine: true });
    if (!this.#lacksOpener || reading?.kind !== 'call' || !this.#tools.find(reading.name)) return null;
    return { ...reading, repairs: [...reading.repairs, 'missing_open'] };
  }

  #enterMark(at: number, startsLine: boolean): number | null {
    const mark = this.#depth < MAX_MARKS ? markAt(this.#text, at, startsLine) : null;
    if (!mark) return null;
    if (mark.offeredOnly && hintedName(this.#text, skipSpace(this.#text, mark.end), this.#tools) === null)
      return null;
    if (this.#calls.length > 0 && this.#mark === null) this.#lacksOpener = true;
    this.#mark = mark;
    this.#depth += 1;
    if (this.#text.slice(at, mark.end).includes('```')) this.#fences += 1;
    return this.#skipGap(mark.end);
  }

  #leaveMark(at: number): number | null {
    if (this.#calls.length === 0) return null;
    const closer = closerEnd(this.#text, at);
    if (closer !== null && this.#mark === null) this.#lacksOpener = true;
    const end = closer ?? this.#fenceEnd(at);
    if (end === null) return null;
    this.#depth = Math.max(0, this.#depth - 1);
    this.#end = end;
    return this.#skipGap(end);
  }

  /** Builds the result when no further call can be read at the position. */
  #finish(
    start: number,
    at: number,
    { reading, place }: { reading: CallReading | null; place: BlockPlace },
  ): CallReading | null {
    if (this.#calls.length > 0) {
      const split = this.#splitCall(at, reading);
      if (split) return split;
      const block = this.#block(start, this.#end);
      return block?.kind === 'call' && reading ? { ...block, dataEnd: this.#dataEnd(reading, at) } : block;
    }
    if (reading === null) return place.startsLine ? (this.#unread(at) ?? this.#cutOff(start)) : null;
    if (!this.#isMeant(reading, place)) return null;
    const isOffered = reading.name !== null && this.#tools.find(reading.name) !== undefined;
    return isOffered ? { ...reading, end: this.#dataEnd(reading, at) } : reading;
  }

  /** Reports a call that is followed, before any closing mark, by a JSON object with arguments but no tool's name. */
  #splitCall(at: number, reading: CallReading | null): CallReading | null {
    const last = this.#calls.at(-1);
    if (!last || (last.blockEnd ?? last.end) < this.#end || (reading && reading.name !== null)) return null;
    const { name, dialect } = last;
    const next = isOneOf(',;', this.#text, at) ? skipSpace(this.#text, at + 1) : at;
    if (!holdsArguments(this.#text, next, name, this.#tools)) return null;
    const problem = `${name}: write all arguments in one JSON object`;
    const split: CallReading = { kind: 'unreadable', dialect, name, problem, cut: false };
    return { ...split, end: this.#dataEnd(split, at) };
  }

  /**
   * Returns the end of an unreadable call. If it is unknown, returns the end of the next closing mark of any model
   * family, or of the text.
   */
  #dataEnd({ end }: CallReading, from: number): number {
    if (end !== undefined) return end;
    const close = this.#matches.after(closerSource, from);
    return close ? close.index + close[0].length : this.#text.length;
  }

  /** Returns the end of the closing fence at `at`, if the block opened a fence; null otherwise. */
  #fenceEnd(at: number): number | null {
    if (this.#fences === 0 || !this.#text.startsWith('```', at)) return null;
    this.#fences -= 1;
    return at + 3;
  }

  /** Skips the text between the parts of a block: white space, separators, opening fences and chat tokens. */
  #skipGap(position: number): number {
    const start = this.#depth > 0 ? this.#skipBreaks(position) : skipSpace(this.#text, position);
    if (this.#calls.length === 0) return this.#depth > 0 ? this.#skipFence(start) : start;
    for (let at = start; ; ) {
      const token = chatTokenAt(this.#text, at);
      const isToken = token && !opensOtherTurn(this.#text, at) && !this.#isMark(at);
      if (isToken) at += token.length;
      else if (this.#calls.at(-1)?.dialect === 'arg_pairs' && this.#text.startsWith('\\n', at)) at += 2;
      else if (this.#depth > 0 && isOneOf(',;', this.#text, at)) at += 1;
      else return at;
      at = this.#skipBreaks(at);
    }
  }

  /** Skips white space and `<0x0A>`, the token that some servers leave for a line break (ERNIE 4.5). */
  #skipBreaks(position: number): number {
    let at = skipSpace(this.#text, position);
    while (this.#text.startsWith('<0x0A>', at)) at = skipSpace(this.#text, at + '<0x0A>'.length);
    return at;
  }

  #isMark(at: number): boolean {
    return opensBlock(this.#text, at) || (this.#depth > 0 && closerEnd(this.#text, at) !== null);
  }

  /** Skips the opening line of a code fence between an opening mark and its calls. */
  #skipFence(at: number): number {
    if (!this.#text.startsWith('```', at)) return at;
    this.#fences += 1;
    return skipSpace(this.#text, skipLanguage(this.#text, at + 3));
  }

  #readCall(at: number, startsLine: boolean): CallReading | null {
    const named = this.#readNamedOpener(at, startsLine);
    if (named) return this.#add(named);
    if (this.#depth > 0) return this.#readInside(at);
    return startsLine ? this.#readStripped(at) : null;
  }

  #add(reading: CallReading): CallReading {
    if (reading.kind === 'call') this.#calls.push(reading, ...(reading.more ?? []));
    return reading;
  }

  #readNamedOpener(at: number, startsLine: boolean): CallReading | null {
    const { row, found } = this.#rowAt(at, startsLine) ?? {};
    if (row && found) return this.#readRow(row, at, found);
    if (gemmaWords.some((word) => this.#text.startsWith(word, at))) return readGemmaCall(this.#text, at);
    return startsLine ? this.#readElement(at) : null;
  }

  #rowAt(at: number, startsLine: boolean): { row: CallRow; found: RegExpExecArray } | null {
    for (const row of callRows) {
      if ((row.startsLine && !startsLine) || !mayBeginAt(row, this.#text, at)) continue;
      row.open.lastIndex = at;
      const found = row.open.exec(this.#text);
      if (found) return { row, found };
    }
    return null;
  }

  #readRow(
    row: Omit<CallRow, keyof Beginnings>,
    start: number,
    { 0: opener, groups = {} }: RegExpExecArray,
  ): CallReading | null {
    const { name = '', lead = '', attrs = '' } = groups;
    const isMarked = !('words' in row);
    const opens = isMarked ? MARKED_CALL : row.open.source;
    const head = this.#head(name, [start, start + opener.length], { opens, isMarked });
    if (row.isMended && !head.tool) return null;
    const lost = this.#argumentIn(`${lead} ${attrs}`, head);
    const reading = attrs.trimEnd().endsWith('/')
      ? this.#withoutArguments(head, row)
      : this.#readBody(row, head, groups);
    if (reading?.kind !== 'call' || lost === null || isGiven(reading, lost)) return reading;
    const { dialect, name: tool, end } = reading;
    const problem = `${tool}: write its arguments inside the call, not as attributes`;
    return { kind: 'unreadable', dialect, name: tool, problem, cut: false, end };
  }

  /** Returns the name of the first attribute that is an argument of the tool or holds all of them. */
  #argumentIn(attributes: string, { name }: CallHead): string | null {
    const keys = [...attributes.matchAll(/([\w-]{1,200})\s{0,4}=\s{0,4}(?:"[^"]*"|'[^']*'|\S*)/g)].map(
      ([, key = '']) => key,
    );
    return keys.find((key) => isArgumentKey(key) || this.#tools.declares(name, key)) ?? null;
  }

  #readBody(
    row: Omit<CallRow, keyof Beginnings>,
    head: CallHead,
    groups: NonNullable<RegExpExecArray['groups']>,
  ): CallReading | null {
    const body = skipSpace(this.#text, head.end);
    const mayBeJson = row.jsonEnd && (!row.tags || this.#text.charAt(body) === '{');
    if (mayBeJson) return this.#readJson(head, body, row);
    if (!row.tags) return null;
    const tags = row.tags(groups['p'] ?? '', groups['s'] ?? this.#mark?.suffix ?? '');
    const closes = `${tags.close(groups['name'] ?? '')}|${tags.end}`;
    this.#raw.set(tags.open, { opens: head.opens, closes });
    return new TaggedArguments(this.#text, { matches: this.#matches, tags, head }).read();
  }

  #head(
    written: string,
    [start, end]: readonly [number, number],
    { opens, isMarked = false }: { opens: string; isMarked?: boolean },
  ): CallHead {
    const name = offeredName(written, this.#tools);
    const isOutermost = this.#depth <= (isMarked ? 1 : 0); // The innermost mark belongs to the call.
    const startsLine = this.#startsLine || this.#depth > 0;
    return { name, tool: this.#tools.find(name), start, end, opens, startsLine, isOutermost };
  }

  #withoutArguments({ name, start, end }: CallHead, row: Pick<CallRow, 'tags'>): CallReading {
    const dialect = row.tags?.('', '').dialect ?? 'name_json';
    return withArguments(
      { kind: 'call', dialect, name, start, end },
      undefined,
      new Scanner(this.#text, end),
    );
  }

  #readJson(
    { name, start }: CallHead,
    body: number,
    { jsonEnd, needsEnd, tags, isMended }: Pick<CallRow, 'jsonEnd' | 'needsEnd' | 'tags' | 'isMended'>,
  ): CallReading | null {
    const text = this.#text;
    if (text.charAt(body) !== '{' && body < text.length) {
      const unusual = needsEnd || !jsonEnd ? null : this.#readUnusual({ name, start }, body, jsonEnd);
      if (unusual !== 'string') return unusual;
    }
    const scanner = new Scanner(text, body);
    const value = readValue(scanner);
    if (value === undefined)
      return needsEnd ? null : { ...unreadable('name_json', name, scanner), end: text.length };
    const end = jsonEnd ? matchEnd(jsonEnd, text, scanner.position) : scanner.position;
    if (needsEnd && end === null) return null;
    const next = skipSpace(text, scanner.position);
    const goesOn = end === null && tags !== undefined && this.#matches.at(tags('', '').open, next) !== null;
    if (goesOn) {
      const problem = `${name}: the arguments are written in two forms`;
      return { kind: 'unreadable', dialect: 'name_json', name, problem, cut: false };
    }
    if (isMended) scanner.repairs.add('mismatched_tag');
    const place = { start, end: end ?? scanner.position };
    return withArguments({ kind: 'call', dialect: 'name_json', name, ...place }, value, scanner);
  }

  /**
   * Reads the arguments of an offered tool that are no JSON object. A closing mark in their place means no arguments;
   * `'string'` means that they begin like a string, which may encode an object. Other arguments cannot be read.
   */
  #readUnusual(
    { name, start }: { name: string; start: number },
    body: number,
    jsonEnd: RegExp,
  ): CallReading | 'string' | null {
    const text = this.#text;
    if (!this.#tools.find(name)) return null;
    const end = matchEnd(jsonEnd, text, body);
    if (end !== null)
      return withArguments(
        { kind: 'call', dialect: 'name_json', name, start, end },
        undefined,
        new Scanner(text, body),
      );
    const scanner = new Scanner(text, body);
    const value = readValue(scanner);
    if (typeof value === 'string' && value.trimStart().startsWith('{')) return 'string';
    if (!this.#startsLine) return null;
    const problem = `${name}: its arguments are no JSON object`;
    return { kind: 'unreadable', dialect: 'name_json', name, problem, cut: scanner.cut };
  }

  /** Reads an element named after an offered tool, if it is empty or contains the tool's parameters (Cline). */
  #readElement(at: number): CallReading | null {
    if (this.#text.charAt(at) !== '<') return null;
    const nameEnd = this.#tools.nameEnd(this.#text, at + 1);
    const name = this.#text.slice(at + 1, nameEnd);
    if (this.#text.charAt(nameEnd) !== '>' || !this.#tools.find(name) || isHtml(name)) return null;
    const tags = toolElements(name);
    const opens = `<${escaped(name)}>`;
    this.#raw.set(tags.end, { opens, closes: tags.end });
    const head = this.#head(name, [at, nameEnd + 1], { opens });
    const isCut = skipSpace(this.#text, head.end) >= this.#text.length;
    return isCut ? null : new TaggedArguments(this.#text, { matches: this.#matches, tags, head }).read();
  }

  /**
   * Reads the call after an opening mark. It may be JSON, the form that the prompt asks for, a name with arguments, or
   * Python.
   */
  #readInside(at: number): CallReading | null {
    const text = this.#text;
    const isList = text.charAt(at) === '[' && isOneOf('{[]', text, skipSpace(text, at + 1));
    if (text.charAt(at) === '{' || isList) return this.#readObjects(at, isList);
    if (text.startsWith(GEMMA_STRIPPED, at)) return this.#readPrefixed(at);
    const taught = readNamedTag(text, at);
    if (taught) return this.#add(taught);
    if (this.#calls[0]?.dialect.startsWith('json')) return null; // A mark holds calls of one grammar.
    const named = this.#readNamed(at, true);
    if (named) return named;
    const python = this.#fences > 0 ? this.#readStatement(at) : readPythonCalls(text, at, this.#tools);
    return python && this.#add(python);
  }

  /** Reads Python code in a fence. A call with the result of an earlier one cannot run, since it is unknown. */
  #readStatement(at: number): CallReading | null {
    const reading = readPythonStatement(this.#text, skipComments(this.#text, at), this.#tools);
    if (reading?.kind !== 'call') return reading;
    const { name, repairs, start } = reading;
    if (this.#hasVariable && repairs.includes('bare_word')) {
      const problem = `${name}: a variable is no literal; write its value`;
      return { kind: 'unreadable', dialect: 'python', name, problem, cut: false };
    }
    if (assignmentEnd(this.#text, start) !== null) this.#hasVariable = true;
    return reading;
  }

  /** Reads Gemma's `call:` with its notation, or with Python's. */
  #readPrefixed(at: number): CallReading | null {
    const name = skipSpace(this.#text, at + GEMMA_STRIPPED.length);
    const reading = readGemmaCall(this.#text, at) ?? readPythonCalls(this.#text, name, this.#tools);
    return reading && this.#add(reading);
  }

  #readObjects(at: number, isList: boolean): CallReading | null {
    const grammar = isList ? 'json_list' : 'json_block';
    const dialect = this.#mark?.labelsFence ? 'json' : grammar;
    const isMarked = !this.#mark?.definesTools; // In `<tools>`, prompts define the tools.
    const reading = readJsonCalls(this.#text, at, { dialect, tools: this.#tools, isMarked });
    if (reading?.kind !== 'unreadable') return reading && this.#add(reading);
    const name = reading.name ?? hintedName(this.#text, at, this.#tools, { isMarked: true });
    return { ...reading, name, end: reading.cut ? this.#text.length : undefined };
  }

  #readNamed(at: number, isMarked: boolean): CallReading | null {
    for (const { row, stripped, offeredOnly } of namedRows) {
      if (!stripped && !isMarked) continue;
      row.open.lastIndex = at;
      const found = row.open.exec(this.#text);
      if (!found) continue;
      const name = offeredName(found.groups?.['name'] ?? '', this.#tools);
      const needsTool = !isMarked || offeredOnly || this.#tools.areUnknown;
      if (needsTool && !this.#tools.find(name)) continue;
      const reading = this.#readRow(row, at, found);
      if (reading && !this.#isMentioned(reading)) return this.#add(reading);
    }
    return null;
  }

  /**
   * Whether a call that is only a tool's name only mentions the tool: it is inside a sentence, and the tool has
   * parameters.
   */
  #isMentioned(reading: CallReading): boolean {
    if (this.#startsLine || this.#calls.length > 0) return false;
    if (reading.kind !== 'call' || reading.list.length > 0) return false;
    if ((this.#tools.find(reading.name)?.parameters.length ?? 0) === 0) return false;
    const after = skipSpace(this.#text, reading.end);
    return after < this.#text.length && !isOneOf('<', this.#text, after);
  }

  /** Reads a call whose opening mark a server removed, if the remaining text can only be a call. */
  #readStripped(at: number): CallReading | null {
    const isGemma = this.#text.startsWith(GEMMA_STRIPPED, at);
    const gemma = isGemma ? readGemmaCall(this.#text, at) : null;
    if (gemma?.name && this.#tools.find(gemma.name)) return this.#add(gemma);
    return this.#readNamed(at, false);
  }

  /** Whether an unreadable call was intended as a call: it starts its line, or names an offered tool. */
  #isMeant({ name }: CallReading, { startsLine }: BlockPlace): boolean {
    return startsLine || (name !== null && this.#tools.find(name) !== undefined);
  }

  /** Reports a call with an opening mark and an offered tool's name, but without readable arguments. */
  #unread(at: number): CallReading | null {
    if (this.#depth === 0) return null;
    const fence = this.#fences > 0 ? this.#matches.after('\n[ \t]*```', at) : null;
    const end = fence ?? this.#matches.after('</[\\w:|]{1,40}>', at) ?? this.#matches.after(closerSource, at);
    // In `<tools>`, prompts define the tools.
    const definesTools = this.#mark?.definesTools === true;
    const start = definesTools ? at : (matchEnd(beforeName, this.#text, at) ?? at);
    const named = this.#tools.find(this.#text.slice(start, this.#tools.nameEnd(this.#text, start)));
    const searched = end && !definesTools ? this.#text.slice(at, end.index) : '';
    const tool = named ?? this.#tools.find(namedCall(searched, this.#tools) ?? '');
    const name = tool?.name ?? null;
    if (name === null && (end === null || matchEnd(namelessArguments, this.#text, at) === null)) return null;
    const stop = end ? end.index + end[0].length : this.#text.length;
    const problem = name === null ? 'the call names no tool' : `${name}: its arguments cannot be read`;
    return { kind: 'unreadable', dialect: 'arg_pairs', name, problem, cut: end === null, end: stop };
  }

  /** Reports a call of an offered tool if the text ends within its opening marks, the first of which is whole. */
  #cutOff(start: number): CallReading | null {
    if (!isOneOf('<[]', this.#text, start)) return null;
    const rest = this.#text.slice(start, start + MAX_OPENING).trimEnd();
    const element = /^<([\w.-]+)>/.exec(rest)?.[1] ?? '';
    if (rest.length >= MAX_OPENING || !openingMarks.test(rest) || isHtml(element)) return null;
    const words = rest.match(/[A-Za-z_][\w.:-]*/g) ?? [];
    const name = words.map((word) => offeredName(word, this.#tools)).find((word) => this.#tools.find(word));
    if (name === undefined) return null;
    const problem = `${name}: the call is cut off`;
    return { kind: 'unreadable', dialect: 'name_json', name, problem, cut: true };
  }

  /**
   * Returns the result for the whole block. The block is unreadable if a closing tag of a value or call is left over
   * after it.
   */
  #block(start: number, end: number): CallReading | null {
    const [first, ...more] = this.#calls;
    if (!first) return null;
    for (const { opens, closes } of this.#raw.values()) {
      const close = this.#matches.after(closes, end);
      const open = close && this.#matches.after(opens, end);
      if (!close || (open && open.index < close.index)) continue;
      const problem = `${first.name}: a closing tag is left over after the call, so its values may be cut`;
      const rest = this.#text.length; // The values' ends are unknown, so all that follows may be a value.
      return { kind: 'unreadable', dialect: first.dialect, name: first.name, problem, cut: false, end: rest };
    }
    if (more.length === 0) return { ...first, start, end, blockEnd: end };
    return { ...first, start, more, blockEnd: end };
  }
}

/** Skips lines of Python comments. */
function skipComments(text: string, position: number): number {
  let at = position;
  while (text.charAt(at) === '#') at = skipSpace(text, lineEnd(text, at));
  return at;
}

/** Whether a call has an argument of this name. */
const isGiven = ({ list }: WholeCall, name: string): boolean =>
  list.some(
    ({ key, value }) => key === name || (key === null && isJsonObject(value) && Object.hasOwn(value, name)),
  );

/** Whether an element with this name is more likely HTML or XML than a call of a tool. */
export const isHtml = (name: string): boolean =>
  [
    'code',
    'table',
    'search',
    'path',
    'p',
    'a',
    'b',
    'i',
    'pre',
    'div',
    'span',
    'form',
    'link',
    'time',
    'title',
    'map',
    'data',
    'details',
    'summary',
    'file',
    'answer',
    'think',
  ].includes(name);
