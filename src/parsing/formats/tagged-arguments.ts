import type { OfferedTool } from '../arguments/offered-tool.js';
import type { Argument } from '../arguments/read-arguments.js';
import type { CallPlace, CallReading } from '../dialects/written-call.js';
import { isRestBlank, lineEnd, skipSpace } from '../text/characters.js';
import { readTokens } from '../text/chat-tokens.js';
import { isJsonObject, type JsonValue, type Repair, type Spellings } from '../text/scanner.js';
import type { ArgumentTags } from './call-rows.js';
import { readElements } from './elements.js';
import { closerEnd } from './marks.js';
import { readJsonText, readTypedText, type TypedText } from './typed-text.js';

/** Maximum number of arguments of one call. */
const MAX_ARGUMENTS = 1_000;

const MAX_CUT_TAG = 200;

/** Maximum length of a closing tag, with the white space after it. */
const MAX_CLOSER = 300;

/** Matches the names of tags of arguments and calls in all families. */
const CALL_TAG = /^(?:\W.{0,20}\W|[\w-]{1,16}:)?(?:param|arg|tool|function|invoke|call)/;
/** Matches a tag of an argument that lacks its slash or one of its brackets. */
const BROKEN_CLOSER =
  /(?:<\W{0,4}(?:[\w-]{1,16}\W{1,2})?(?:param|tool_arg|arg)[\w:|｜]{0,16}|[/|｜](?:param|tool_arg|arg)[\w:|｜]{0,16}>)>?$/;

/** Maximum number of characters after a closing tag in which a broken tag of the next argument is searched. */
const MAX_BROKEN_TAG = 80;

/** The name of a call, and the position of its opening tag. */
export interface CallHead {
  readonly name: string;
  readonly tool: OfferedTool | undefined;
  readonly start: number;
  /** End of the opening tag. */
  readonly end: number;
  /** Matches the opening tag of another call in the same format. */
  readonly opens: string;
  /** True if only white space or another opening tag precedes the opening tag on its line. */
  readonly startsLine: boolean;
  /** True if the call is not inside a section that is still open. */
  readonly isOutermost: boolean;
}

/**
 * Finds the next match of a pattern in one text. A match is cached and serves all positions before it, which keeps
 * searches linear.
 */
export class NextMatches {
  readonly #text: string;
  readonly #patterns = new Map<
    string,
    { sticky: RegExp; search: RegExp; from: number; found: RegExpExecArray | null }
  >();

  constructor(text: string) {
    this.#text = text;
  }

  at(source: string, position: number): RegExpExecArray | null {
    const { sticky } = this.#compiled(source);
    sticky.lastIndex = position;
    return sticky.exec(this.#text);
  }

  after(source: string, from: number): RegExpExecArray | null {
    const pattern = this.#compiled(source);
    const isKnown = pattern.from <= from && (pattern.found === null || pattern.found.index >= from);
    if (pattern.from >= 0 && isKnown) return pattern.found;
    pattern.search.lastIndex = from;
    pattern.found = pattern.search.exec(this.#text);
    pattern.from = from;
    return pattern.found;
  }

  #compiled(source: string) {
    const known = this.#patterns.get(source);
    if (known) return known;
    const pattern = {
      sticky: new RegExp(source, 'y'),
      search: new RegExp(source, 'g'),
      from: -1,
      found: null,
    };
    this.#patterns.set(source, pattern);
    return pattern;
  }
}

/** The end of an unquoted value, and the position after its closing tag. */
interface ValueEnd {
  readonly end: number;
  readonly after: number;
  readonly isMended: boolean;
}

/** Reads arguments whose values are raw text between tags (rules: raw-values, typed-text). */
export class TaggedArguments {
  readonly #text: string;
  readonly #matches: NextMatches;
  readonly #tags: ArgumentTags;
  readonly #head: CallHead;
  readonly #spellings: Spellings = new WeakMap();
  readonly #repairs = new Set<Repair>();
  readonly #list: Argument[] = [];
  readonly #given = new Set<string>();
  /** The closing tag of the argument that is being read, as the source of a regular expression. */
  #close = '';
  /** An opening tag like that of the argument that is being read, as the source of a regular expression. */
  #open = '';
  /** Names of declared arguments that values seem to hold, since a tag is missing or broken. */
  readonly #enclosed = new Set<string>();
  /** The last value's end that was found at a closing tag, cached for all values that begin before it. */
  #properClose: { from: number; source: string; found: ValueEnd | null } | null = null;

  constructor(
    text: string,
    { matches, tags, head }: { matches: NextMatches; tags: ArgumentTags; head: CallHead },
  ) {
    this.#text = text;
    this.#matches = matches;
    this.#tags = tags;
    this.#head = head;
  }

  /** Returns null if the text only mentions the opening tag. */
  read(): CallReading | null {
    const first = this.#skip(this.#head.end);
    const fits =
      first >= this.#text.length || this.#argumentAt(first) || this.#matches.at(this.#tags.end, first);
    if (!fits && this.#isCutTag(first)) return this.#fail('the call is cut off', this.#text.length);
    if (!fits) return this.#misfit(first);
    let at = first;
    for (;;) {
      const end = this.#matches.at(this.#tags.end, at);
      if (end) return this.#call(at + end[0].length);
      if (this.#list.length > MAX_ARGUMENTS) return this.#fail('it has too many arguments', at);
      const argument = this.#argumentAt(at);
      if (!argument)
        return this.#list.length > 0 ? this.#endWithoutCloser(at) : this.#fail('the call is not closed', at);
      const after = this.#readArgument(argument, at + argument[0].length);
      if (after === null)
        return this.#fail(`\`${argument.groups?.['key']}\` is not closed`, this.#text.length);
      at = this.#skip(after);
    }
  }

  /**
   * Reports a call of an offered tool that has other text in place of arguments, if its closing tag ends a line.
   * Without a closing tag, the text only mentions the opening tag.
   */
  #misfit(at: number): CallReading | null {
    const { tool, startsLine } = this.#head;
    if (this.#tags.declaredOnly && this.#text.charAt(at) !== '<') return null; // The element holds prose.
    const close = tool && startsLine ? this.#matches.after(this.#tags.end, at) : null;
    if (!close) return null;
    const end = close.index + close[0].length;
    const isClosed =
      isRestBlank(this.#text, end, lineEnd(this.#text, end)) || closerEnd(this.#text, end) !== null;
    return isClosed ? this.#fail('its arguments cannot be read', end) : null;
  }

  /** Whether the text ends within the first tag after the call's opening tag. */
  #isCutTag(at: number): boolean {
    const rest = this.#text.slice(at, at + MAX_CUT_TAG);
    const isTag = rest.startsWith('<') && !rest.includes('>') && rest.length < MAX_CUT_TAG;
    return isTag && !this.#tags.declaredOnly && this.#head.startsLine && this.#head.tool !== undefined;
  }

  /** Skips white space, and the two characters `\n` that some servers write for a line break. */
  #skip(position: number): number {
    let at = skipSpace(this.#text, position);
    while (this.#text.startsWith('\\n', at) && this.#tags.dialect === 'arg_pairs')
      at = skipSpace(this.#text, at + 2);
    return at;
  }

  #argumentAt(position: number): RegExpExecArray | null {
    const found = this.#matches.at(this.#tags.open, position);
    const key = found?.groups?.['key'] ?? '';
    const isForeign = this.#tags.declaredOnly && !this.#head.tool?.parameters.includes(key);
    return isForeign ? null : found;
  }

  #readArgument({ groups = {} }: RegExpExecArray, start: number): number | null {
    const { key = '', word, type, lead = '', attrs = '', wrong } = groups;
    this.#close = this.#tags.close(key, word);
    this.#open = (word && this.#tags.openOf?.(word)) || this.#tags.open;
    if (/^\s*\/|\bvalue\s{0,4}=|\/\s*$/.test(attrs) || /\bvalue\s{0,4}=/.test(lead)) return null; // Its value is no text.
    const found = this.#valueEnd(start);
    if (found === null || (found.isMended && this.#endsInOtherCloser(key, found.end))) return null;
    if (found.isMended) this.#repairs.add('missing_close');
    if (wrong !== undefined) this.#repairs.add('mismatched_tag');
    const enclosed = this.#isCdata(start) ? null : this.#enclosedArgument(start, found);
    if (enclosed === key && this.#argumentAt(start)) return null; // Its opening tag is doubled.
    if (enclosed !== null) this.#enclosed.add(enclosed);
    const written = this.#withoutMarkup(this.#text.slice(start, found.end), found.isMended);
    const { value, repairs } = this.#typed(
      written,
      key,
      type ?? /\b(?:type|string)\s{0,4}=\s{0,4}["']?(\w+)/.exec(`${lead} ${attrs}`)?.[1],
    );
    for (const repair of repairs) this.#repairs.add(repair);
    this.#list.push({ key, value });
    this.#given.add(key);
    return found.after;
  }

  #typed(written: string, key: string, type: string | undefined): TypedText {
    const spellings = this.#spellings;
    const { tool } = this.#head;
    if (type === 'string' || type === 'true') return { value: written, repairs: [] };
    if (type !== undefined) return readJsonText(written, spellings);
    const nested = this.#tags.nests ? readElements(written, tool, key) : undefined;
    return nested === undefined
      ? readTypedText(written, { tool, key, spellings })
      : { value: nested, repairs: [] };
  }

  /**
   * Removes what belongs to the markup: `<![CDATA[` and `]]>`, or one line break at the start and one at the end of a
   * value, if the model family writes them.
   */
  #withoutMarkup(written: string, isMended: boolean): string {
    const cdata = /^\s*<!\[CDATA\[([\s\S]*)\]\]>\s*$/.exec(written);
    if (cdata) return (cdata[1] ?? '').replaceAll(']]><![CDATA[', '');
    const hasBreaks = this.#tags.hasBreaks || this.#tags.declaredOnly;
    const opening = hasBreaks ? (/^\r?\n/.exec(written)?.[0].length ?? 0) : 0;
    const closing = /\r?\n$/.exec(written.slice(opening))?.[0].length ?? 0;
    // If the value's closing tag is missing, the line break at its end belongs to the next tag.
    const isMarkup = isMended || (opening > 0 && closing > 0);
    return isMarkup ? written.slice(opening, written.length - closing) : written;
  }

  /**
   * Returns where a value ends: at the first of its closing tags after which the next argument or the end of the call
   * follows. If the value's own closing tag is missing, the value ends at the next argument's opening tag or at the
   * call's closing tag.
   */
  #valueEnd(start: number): ValueEnd | null {
    const proper = this.#nextProperClose(start);
    if (this.#isCdata(start)) return proper;
    const next = this.#nextArgument(start);
    const first = this.#matches.after(this.#closeOf(start), start)?.index ?? this.#text.length;
    const isClear = proper === null || first === proper.end;
    const callEnd = this.#matches.after(this.#tags.end, start)?.index ?? this.#text.length;
    if (isClear && next !== null && next < Math.min(first, callEnd))
      return { end: next, after: next, isMended: true };
    return this.#endAtCall(start, first) ?? proper;
  }

  /**
   * Whether the text before `end` ends in a tag with the name of the argument or of a tag of calls, whole or not, such as
   * `</parameter=path>`, `</parameter` or `</tool_call>`. It was probably intended to close the value, but it may also
   * belong to it.
   */
  #endsInOtherCloser(key: string, end: number): boolean {
    const written = this.#text.slice(Math.max(0, end - MAX_CLOSER), end).trimEnd();
    const name = /<\/([^<>\s]{1,200})>$/.exec(written)?.[1] ?? '';
    if (name === key || this.#isDeclaredElement(name) || CALL_TAG.test(name)) return true;
    return (
      BROKEN_CLOSER.test(written) || [`</${key}`, `/${key}>`, `<${key}>`].some((tag) => written.endsWith(tag))
    );
  }

  /** Whether arguments are elements and this is the name of one. */
  #isDeclaredElement(name: string): boolean {
    return this.#tags.declaredOnly === true && this.#head.tool?.parameters.includes(name) === true;
  }

  /**
   * Returns the name of a declared argument that a value seems to hold, since one of the tags between the two is missing
   * or broken. Unless the call gives that argument elsewhere, it may be lost.
   */
  #enclosedArgument(start: number, value: ValueEnd): string | null {
    return this.#openedIn(start, value) ?? this.#namedAfterClose(start, value.end);
  }

  /** Returns the name of a declared argument whose opening tag is in a value, without its closing tag. */
  #openedIn(start: number, { end, isMended }: ValueEnd): string | null {
    let last: RegExpExecArray | null = null;
    for (let at = start; ; at = last.index + 1) {
      const found = this.#matches.after(this.#open, at);
      if (!found || found.index >= end) break;
      last = found;
    }
    const { key = '', word } = last?.groups ?? {};
    if (!last || !this.#head.tool?.parameters.includes(key)) return null;
    // If the value's own closing tag is missing, that of the argument in it may be the next one.
    const close = isMended ? null : this.#matches.after(this.#tags.close(key, word), last.index);
    return close && close.index < end ? null : key;
  }

  /**
   * Returns the name of a declared argument that directly follows a closing tag in a value, if the value does not hold
   * the opening tag that belongs to the closing tag. The opening tag of the named argument is probably broken.
   */
  #namedAfterClose(start: number, end: number): string | null {
    const close = this.#matches.after(this.#close, start);
    if (!close || close.index >= end) return null;
    const open = this.#matches.after(this.#open, start);
    if (open && open.index < close.index) return null;
    const after = close.index + close[0].length;
    const [line = ''] = this.#text
      .slice(after, Math.min(end, after + MAX_BROKEN_TAG))
      .trimStart()
      .split('\n', 1);
    const words = line.split(/arg_key|[^\w.-]+/).map((word) => word.replace(/\d+$/, ''));
    return words.find((word) => this.#head.tool?.parameters.includes(word)) ?? null;
  }

  #closeOf(start: number): string {
    return this.#isCdata(start) ? `(?<=\\]\\]>)\\s{0,4}${this.#close}` : this.#close;
  }

  #isCdata(start: number): boolean {
    return this.#text.startsWith('<![CDATA[', skipSpace(this.#text, start));
  }

  #nextProperClose(start: number): ValueEnd | null {
    const source = this.#closeOf(start);
    const known = this.#properClose;
    if (known?.source === source && known.from <= start && (known.found === null || known.found.end >= start))
      return known.found;
    let found: ValueEnd | null = null;
    for (
      let close = this.#matches.after(source, start);
      close;
      close = this.#matches.after(source, close.index + 1)
    ) {
      const after = close.index + close[0].length;
      if (!this.#continues(after)) continue;
      found = { end: close.index, after, isMended: false };
      break;
    }
    this.#properClose = { from: start, source, found };
    return found;
  }

  /**
   * Whether the text after a closing tag shows that the value ended there: the next argument follows, a further call, or the
   * end of the call, of its section or of the reply.
   */
  #continues(position: number): boolean {
    const at = this.#skip(position);
    if (at >= this.#text.length || this.#argumentAt(at) || this.#matches.at(this.#tags.end, at)) return true;
    if (this.#matches.at(this.#head.opens, at)) return true;
    return closerEnd(this.#text, at) !== null || readTokens(this.#text, at).end >= this.#text.length;
  }

  /**
   * Returns the start of the next argument, if its opening tag is at the start of a line and names a declared parameter
   * that was not given yet.
   */
  #nextArgument(start: number): number | null {
    const found = this.#matches.after(`(?<=\\n[ \\t]{0,20})${this.#open}`, start);
    const key = found?.groups?.['key'] ?? '';
    const isOwn = this.#head.tool?.parameters.includes(key) && !this.#given.has(key);
    return found && isOwn ? found.index : null;
  }

  /**
   * Ends the last value at the closing tag of its call. Applies if the value's own closing tag is missing and the end
   * of the section, the end of the text or a further call follows.
   */
  #endAtCall(start: number, limit: number): ValueEnd | null {
    const end = this.#matches.after(this.#tags.end, start);
    if (end === null || end.index > limit) return null;
    const at = this.#skip(end.index + end[0].length);
    const isLast = at >= this.#text.length || closerEnd(this.#text, at) !== null;
    if (!isLast && !this.#matches.at(this.#head.opens, at)) return null;
    return { end: end.index, after: end.index, isMended: true };
  }

  /**
   * Accepts a call without a closing tag if its section, or the reply, ends at the position. If the section is not
   * closed either, the call is unreadable, since more arguments might have followed.
   */
  #endWithoutCloser(at: number): CallReading {
    const isCut = readTokens(this.#text, at).end >= this.#text.length;
    if (isCut && !this.#head.isOutermost) return this.#fail('the call is not closed', this.#text.length);
    if (!isCut && closerEnd(this.#text, at) === null)
      return this.#fail('other text stands between the arguments', at);
    this.#repairs.add('missing_close');
    return this.#call(at);
  }

  #call(end: number): CallReading {
    const { name, start } = this.#head;
    const enclosed = [...this.#enclosed].find((key) => !this.#given.has(key));
    if (enclosed !== undefined) return this.#fail(`the value before \`${enclosed}\` is not closed`, end);
    const place: CallPlace = { kind: 'call', dialect: this.#tags.dialect, start, end };
    const repairs = [...this.#repairs];
    const list = this.#unwrapped() ?? this.#list;
    return { ...place, name, list, spellings: this.#spellings, repairs };
  }

  /**
   * Returns the object in the only argument, if that argument is named `arguments` or `input` and wraps all
   * arguments.
   */
  #unwrapped(): Argument[] | null {
    const [only, ...others] = this.#list;
    if (!only || others.length > 0 || (only.key !== 'arguments' && only.key !== 'input')) return null;
    if (!this.#head.tool || this.#head.tool.parameters.includes(only.key)) return null;
    const value: JsonValue =
      typeof only.value === 'string' ? readJsonText(only.value, this.#spellings).value : only.value;
    return isJsonObject(value) ? [{ key: null, value }] : null;
  }

  #fail(why: string, end: number): CallReading {
    const { name } = this.#head;
    const cut = end >= this.#text.length;
    return { kind: 'unreadable', dialect: this.#tags.dialect, name, problem: `${name}: ${why}`, cut, end };
  }
}
