import type { MarkedToken, Token, Tokens } from 'marked';
import type { Paint } from '../../display/paint.js';
import { wrap } from '../../display/wrap.js';
import { showText } from '../visible-text.js';
import { renderInline, type TextView } from './render-inline.js';
import { renderTable } from './render-table.js';

const MAX_RULE = 40;
/** Minimum width; blocks nested too deeply for it are shown as raw text. */
const MIN_COLUMNS = 12;
const CODE_INDENT = '  ';

/** Renders Markdown blocks as terminal rows, with an empty row between blocks. */
export function renderBlocks(tokens: readonly Token[], view: TextView): string[] {
  const blocks = tokens.map((token) => renderBlock(token, view)).filter((rows) => rows.length > 0);
  return blocks.flatMap((rows, index) => (index === 0 ? rows : ['', ...rows]));
}

function renderBlock(given: Token, view: TextView): string[] {
  const { paint, width } = view;
  if (width < MIN_COLUMNS) return rowsOf(showText(given.raw.trimEnd()), MIN_COLUMNS);
  const token = given as MarkedToken; // without extensions the lexer only creates these tokens
  switch (token.type) {
    case 'heading':
      return rowsOf(paint(headingStyle(token), renderInline(token.tokens, paint)), width);
    case 'paragraph':
      return rowsOf(renderInline(token.tokens, paint), width);
    case 'text':
      return rowsOf(renderInline(token.tokens ?? [token], paint), width);
    case 'code':
      return token.text.split('\n').map((line) => codeRow(line, token.lang, paint));
    case 'list':
      return renderItems(token.items, {
        ...view,
        start: token.ordered ? Number(token.start || 1) : undefined,
      });
    case 'table':
      return renderTable(token, view);
    case 'blockquote':
      return renderBlocks(token.tokens, { paint, width: width - 2 }).map(
        (row) => `${paint('dim', '▎')} ${row}`,
      );
    case 'hr':
      return [paint('dim', '─'.repeat(Math.min(width, MAX_RULE)))];
    case 'space':
    case 'def':
    case 'checkbox':
      return [];
    default:
      return rowsOf(showText(token.raw.trimEnd()), width);
  }
}

const headingStyle = ({ depth }: Tokens.Heading): Parameters<Paint>[0] =>
  depth <= 2 ? ['bold', 'underline'] : 'bold';

const rowsOf = (text: string, width: number): string[] => [...wrap(text.replaceAll('\t', '    '), width)];

/** Renders a line of code. It is not wrapped here, since a line wrapped by the terminal can be copied as one. */
export function codeRow(line: string, language: string | undefined, paint: Paint): string {
  const code = CODE_INDENT + line.replaceAll('\t', '    ');
  if (line.trim() === '') return '';
  if (language !== 'diff') return paint('cyan', code);
  if (line.startsWith('+')) return paint('green', code);
  return line.startsWith('-') ? paint('red', code) : code;
}

interface ListView extends TextView {
  /** Number of the first item; undefined for bullets. */
  readonly start: number | undefined;
}

/** Renders list items without gaps; further rows are indented to the first word. */
export function renderItems(items: readonly Tokens.ListItem[], { start, paint, width }: ListView): string[] {
  return items.flatMap((item, index) => {
    const number = start === undefined ? undefined : `${start + index}.`;
    const bullet = `${item.task ? checkbox(item) : (number ?? '•')} `;
    const rows = item.tokens.flatMap((token) => renderBlock(token, { paint, width: width - bullet.length }));
    const [first = '', ...more] = rows;
    return [paint('dim', bullet) + first, ...more.map((row) => ' '.repeat(bullet.length) + row)];
  });
}

const checkbox = ({ checked }: Tokens.ListItem): string => (checked ? '☑' : '☐');
