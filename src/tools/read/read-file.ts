import { defineTool, type Tool } from '../../sdk/actions/define-tool.js';
import { ToolError } from '../../sdk/actions/tool-errors.js';
import { type Folder, readText } from '../folder/folder.js';
import { atMost, beginningOf, showing } from './limits.js';

/** Maximum number of characters shown of a line. A minified file may be a single line of a megabyte. */
const MAX_LINE_LENGTH = 2_000;

/** Creates `read_file(path, start_line, end_line)`, which returns numbered lines. */
export const readFileTool = (folder: Folder, maxLines: number): Tool =>
  defineTool({
    name: 'read_file',
    defer: false,
    description: `Read lines of a text file${atMost(maxLines, ' at a time')}. Lines are counted from 1, both ends included.`,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'Relative to the project folder.' },
        start_line: { type: 'integer', description: 'Default 1.' },
        end_line: { type: 'integer', description: 'Default: the end of the file.' },
      },
      required: ['path'],
    },
    annotations: { readOnlyHint: true },
    execute: async ({ path, start_line, end_line }) => {
      const { content, isUtf8 } = await readText(folder, path);
      const range = { start: start_line ?? 1, end: end_line, maxLines };
      const lines = renderLines(path, toLines(content), range);
      return isUtf8 ? lines : `${lines}\n${NOT_UTF8}`;
    },
  });

const NOT_UTF8 =
  '(The file is not UTF-8: what could not be read is shown as \uFFFD. It cannot be edited with edit_file.)';

/** Splits a text into lines. A final line break does not start another line. */
function toLines(text: string): string[] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function renderLines(
  path: string,
  lines: readonly string[],
  range: { start: number; end: number | undefined; maxLines: number },
): string {
  const total = lines.length;
  if (total === 0) return `${path}: the file is empty.`;
  const start = Math.max(1, range.start);
  const wanted = Math.min(range.end ?? total, total);
  if (start > total) throw new ToolError(`"${path}" has only ${total} lines.`);
  if (wanted < start) throw new ToolError('end_line must not be smaller than start_line.');
  const end = Math.min(wanted, start + range.maxLines - 1);
  const numbered = lines.slice(start - 1, end).map((line, index) => `${start + index}: ${clip(line)}`);
  const cut =
    end < wanted
      ? [showing({ ...counted(start, end, wanted), rest: `go on with start_line=${end + 1}` })]
      : [];
  return [`${path} (lines ${start}-${end} of ${total})`, ...numbered, ...cut].join('\n');
}

const counted = (start: number, end: number, wanted: number) => ({
  shown: end - start + 1,
  total: wanted - start + 1,
  what: 'lines',
});

function clip(line: string): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const beginning = beginningOf(line, MAX_LINE_LENGTH);
  const note = showing({
    shown: beginning.length,
    total: line.length,
    what: 'characters',
    rest: 'search for the part you need',
  });
  return `${beginning} … (${note})`;
}
