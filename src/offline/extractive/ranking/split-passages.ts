/**
 * Adjacent lines of a file that belong together: a function with its comment, a section below its heading, or a
 * single line that was found.
 */
export interface Passage {
  readonly path: string;
  /** The lines in order, without blank lines at the beginning and at the end. */
  readonly lines: readonly NumberedLine[];
  /** The nearest heading or class above the passage. */
  readonly heading: string;
}

export interface NumberedLine {
  readonly line: number;
  readonly text: string;
}

/** Maximum number of lines in a passage. Longer ones are split. */
const MAX_PASSAGE_LINES = 40;
/** Once a passage of prose has this many lines, the next paragraph begins a new passage. */
const MAX_PROSE_LINES = 8;

/**
 * Splits the known lines of a file into passages: at gaps, at headings, and at paragraphs that begin with a
 * definition.
 */
export function splitPassages(path: string, texts: ReadonlyMap<number, string>): Passage[] {
  const isProse = /\.(?:md|mdx|rst|txt|adoc)$/iu.test(path);
  const passages: Passage[] = [];
  let lines: NumberedLine[] = [];
  let latest = '';
  let heading = '';
  const close = (): void => {
    const kept = withoutBlankEnds(lines);
    if (kept.length > 0) passages.push({ path, lines: kept, heading });
    lines = [];
  };
  for (const [line, text] of [...texts].sort(([a], [b]) => a - b)) {
    if (beginsAnew(lines, { line, text }, isProse)) close();
    const begun = headingOf(text, isProse);
    latest = begun ?? latest;
    // The closing brace of a class ends its heading only for later passages.
    if (lines.length === 0 || begun) heading = latest;
    lines.push({ line, text });
  }
  close();
  return passages;
}

function beginsAnew(
  before: readonly NumberedLine[],
  { line, text }: NumberedLine,
  isProse: boolean,
): boolean {
  const last = before.at(-1);
  if (!last) return false;
  if (line !== last.line + 1 || before.length >= MAX_PASSAGE_LINES) return true;
  const isAfterBlank = last.text.trim() === '';
  if (isProse) return /^#{1,6}\s/u.test(text) || (isAfterBlank && before.length >= MAX_PROSE_LINES);
  return isAfterBlank && (/^\S/u.test(text) || beginsDefinition(text));
}

const beginsDefinition = (text: string): boolean =>
  comment.test(text) || definition.test(text) || method.test(text);

/** Matches a line that contains only a comment. */
export const comment = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!include|!)|--\s|"""|''')/u;

/** Matches a line that defines a name, in common programming languages. */
export const definition =
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:public\s+|private\s+|static\s+|readonly\s+|pub\s+)*(?:function|class|interface|type|enum|const|let|var|def|fn|func|fun|struct|trait|impl|module|namespace|sub)\b/u;

const method =
  /^\s+(?:(?:async|public|private|protected|static|override|get|set)\s+)*#?[\w$]+\s*(?:<[^>]*>)?\([^;]*\{\s*$/u;

/**
 * Returns the heading or class that the lines below a line belong to; undefined if the line does not begin a new
 * one.
 */
function headingOf(text: string, isProse: boolean): string | undefined {
  if (isProse) return /^#{1,6}\s+(.*)$/u.exec(text)?.[1];
  if (!/^\S/u.test(text)) return undefined;
  return definition.test(text) || text.startsWith('}')
    ? (/\bclass\s+(\w+)/u.exec(text)?.[1] ?? '')
    : undefined;
}

function withoutBlankEnds(lines: readonly NumberedLine[]): readonly NumberedLine[] {
  const first = lines.findIndex(({ text }) => text.trim() !== '');
  const last = lines.findLastIndex(({ text }) => text.trim() !== '');
  return first === -1 ? [] : lines.slice(first, last + 1);
}
