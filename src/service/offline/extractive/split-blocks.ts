/** A piece of a message: text that somebody says, or a fenced block, which is data. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'block'; readonly block: Block };

export interface Block {
  /** The tag: `file`, `observation`, … */
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string;
}

const opener = /^<([a-z][\w-]*)((?:[ \t][^<>\n]*)?)>/gimu;

/** So many different tags may turn out to have no closer before the rest is taken as text. */
const maxUnclosedNames = 50;

/**
 * Cuts a message at its fences: `<name attribute="…">` at the start of a line up to the matching closer.
 * If an attribute is repeated in a closer (a fence mark), only that closer counts. What is not closed is text.
 */
export function splitBlocks(message: string): Segment[] {
  const segments: Segment[] = [];
  const unclosed = new Set<string>();
  let position = 0;
  for (let found = nextBlock(message, 0, unclosed); found; found = nextBlock(message, position, unclosed)) {
    segments.push({ kind: 'text', text: message.slice(position, found.start) });
    segments.push({ kind: 'block', block: found.block });
    position = found.end;
  }
  segments.push({ kind: 'text', text: message.slice(position) });
  return segments.filter((segment) => segment.kind === 'block' || segment.text.trim() !== '');
}

interface FoundBlock {
  readonly block: Block;
  readonly start: number;
  readonly end: number;
}

/** A tag once seen to have no closer has none further on either: each is looked for once, which keeps this linear. */
function nextBlock(message: string, from: number, unclosed: Set<string>): FoundBlock | null {
  opener.lastIndex = from;
  for (let match = opener.exec(message); match; match = opener.exec(message)) {
    const [tag, tagName = '', written = ''] = match;
    const name = tagName.toLowerCase();
    if (unclosed.has(name)) continue;
    const attributes = readAttributes(written);
    const body = match.index + tag.length;
    const closer = findCloser(message, { name, attributes, body });
    if (closer) {
      const content = message
        .slice(body, closer.start)
        .replace(/^\r?\n/u, '')
        .replace(/\r?\n$/u, '');
      return { block: { name, attributes, content }, start: match.index, end: closer.end };
    }
    if (unclosed.add(name).size > maxUnclosedNames) return null;
  }
  return null;
}

interface Opening {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly body: number;
}

/** The first closer that carries a mark of the opener, else the first one. */
function findCloser(
  message: string,
  { name, attributes, body }: Opening,
): { start: number; end: number } | null {
  const marks = Object.values(attributes).filter((value) => /^[\w+/=-]{6,}$/u.test(value));
  const closer = new RegExp(`</${name}\\b([^<>\\n]*)>`, 'giu');
  closer.lastIndex = body;
  let first: { start: number; end: number } | null = null;
  for (let match = closer.exec(message); match; match = closer.exec(message)) {
    const span = { start: match.index, end: closer.lastIndex };
    if (marks.some((mark) => match?.[1]?.includes(mark))) return span;
    first ??= span;
    if (marks.length === 0) break;
  }
  return first;
}

function readAttributes(written: string): Record<string, string> {
  const pairs = written.matchAll(/([\w:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/gu);
  return Object.fromEntries(
    [...pairs].map(([, name = '', a, b, c]) => [name.toLowerCase(), a ?? b ?? c ?? '']),
  );
}
