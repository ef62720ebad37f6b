/** A part of a message: plain text, or a fenced block, whose content is data. */
export type MessageSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'block'; readonly block: FencedBlock };

export interface FencedBlock {
  /** Name of the block's tag, such as `file` or `observation`. */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string;
}

const opener = /^<([a-z][\w-]*)((?:[ \t][^<>\n]*)?)>/gimu;
const closer = /<\/([a-z][\w-]*)([^<>\n]*)>/gimu;

/**
 * Splits a message at its fences. A fence is `<name attribute="…">` at the start of a line, together with its closing
 * tag. If some closing tag repeats an attribute of the opening tag (a fence mark), only that closing tag matches. A
 * block that is not closed is text. Takes time linear in the length of the message.
 */
export function splitBlocks(message: string): MessageSegment[] {
  const segments: MessageSegment[] = [];
  const closers = indexClosers(message);
  let position = 0;
  for (const match of message.matchAll(opener)) {
    const [tag, name = '', written = ''] = match;
    if (match.index < position) continue;
    const attributes = readAttributes(written);
    const body = match.index + tag.length;
    const end = findCloser(closers, { name: name.toLowerCase(), attributes, body });
    if (!end) continue;
    const content = message
      .slice(body, end.start)
      .replace(/^\r?\n/u, '')
      .replace(/\r?\n$/u, '');
    segments.push({ kind: 'text', text: message.slice(position, match.index) });
    segments.push({ kind: 'block', block: { name: name.toLowerCase(), attributes, content } });
    position = end.end;
  }
  segments.push({ kind: 'text', text: message.slice(position) });
  return segments.filter((segment) => segment.kind === 'block' || segment.text.trim() !== '');
}

interface CloserSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Closing tags of the message, last tag first. Each is listed under its name, and under its name with each possible
 * fence mark after it, as in `</file a1b2c3>`.
 */
type Closers = ReadonlyMap<string, CloserSpan[]>;

function indexClosers(message: string): Closers {
  const closers = new Map<string, CloserSpan[]>();
  for (const match of message.matchAll(closer)) {
    const [tag, name = '', rest = ''] = match;
    const span = { start: match.index, end: match.index + tag.length };
    for (const word of ['', ...(rest.match(markPattern) ?? [])]) {
      const key = keyOf(name.toLowerCase(), word);
      const spans = closers.get(key);
      if (spans) spans.push(span);
      else closers.set(key, [span]);
    }
  }
  for (const spans of closers.values()) spans.reverse();
  return closers;
}

const markPattern = /[\w+/=-]{6,}/gu;
const keyOf = (name: string, mark: string): string => `${name} ${mark}`;

interface Opening {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: number;
}

/**
 * Returns the first closing tag that repeats the opening tag's fence mark (an attribute value of at least six
 * characters); if there is none, the first closing tag with the same name.
 */
function findCloser(closers: Closers, { name, attributes, body }: Opening): CloserSpan | undefined {
  const marks = Object.values(attributes).filter((value) => value.match(markPattern)?.[0] === value);
  const marked = marks.flatMap((mark) => firstFrom(closers.get(keyOf(name, mark)), body) ?? []);
  return marked[0] ?? firstFrom(closers.get(keyOf(name, '')), body);
}

/**
 * Returns the first closing tag after the position. Removes earlier ones, because opening tags are handled in
 * order and no later one can need them.
 */
function firstFrom(spans: CloserSpan[] | undefined, position: number): CloserSpan | undefined {
  while (spans && (spans.at(-1)?.start ?? position) < position) spans.pop();
  return spans?.at(-1);
}

function readAttributes(written: string): Record<string, string> {
  const pairs = written.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gu);
  return Object.fromEntries(
    [...pairs].map(([, name = '', a, b, c]) => [name.toLowerCase(), a ?? b ?? c ?? '']),
  );
}
