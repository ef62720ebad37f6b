/** Matches a `<picture>` with a dark and a light image, which follows the system instead of the theme chosen on the site. */
const pair =
  /<picture>\s*<source[^>]*\ssrcset="([^"]+)"[^>]*>\s*<img([^>]*)\ssrc="([^"]+)"([^>]*)>\s*<\/picture>/g;
const relative = (path) => (path.startsWith('.') ? path : `./${path}`);
const image = (scheme, path, rest) =>
  `<img class="in-${scheme}" loading="lazy" src="${relative(path)}"${rest.trimEnd().replace(/\/$/, '')}>`;

/** Markdown plugin that replaces each such `<picture>` by both images; the style sheet hides the one of the other theme. */
export function bothPictures(markdown) {
  markdown.core.ruler.push('both_pictures', ({ tokens }) => {
    for (const token of tokens.filter(({ type }) => type === 'html_block'))
      token.content = token.content.replaceAll(
        pair,
        (_, dark, before, light, after) =>
          image('dark', dark, before + after) + image('light', light, before + after),
      );
  });
}

/** Markdown plugin that renders indented code blocks, which have commands, like fenced ones. */
export function fencedBlocks(markdown) {
  markdown.core.ruler.push('fenced_blocks', ({ tokens }) => {
    for (const token of tokens.filter(({ type }) => type === 'code_block'))
      Object.assign(token, { type: 'fence', tag: 'code', markup: '```', info: 'console' });
  });
}

/** Number of characters of a table that fit side by side on a phone. */
const PHONE_COLUMNS = 40;
/** Width, in characters, that a column of text needs at least to be readable. */
const READABLE_COLUMNS = 16;
/** A table with more columns is set in smaller type. */
const MAX_COLUMNS = 7;
/** A longer name in a cell may be broken; shorter ones stay on one line. */
const MAX_NAME = 28;

/**
 * Markdown plugin that prepares tables for narrow screens. A table that would be wider than a phone gets the class
 * `stacked`: the style sheet then shows each row as a block, in which every cell has the name of its column before it. The roles
 * keep such a table a table for screen readers. Cells with a long name in code get the class `long`, tables of many columns
 * `dense`, tables whose columns have no names `headless`.
 */
export function fittingTables(markdown) {
  markdown.core.ruler.push('fitting_tables', ({ tokens }) => {
    for (const [index, token] of tokens.entries())
      if (token.type === 'table_open') fit(tokens.slice(index, closing(tokens, index)));
  });
}

const closing = (tokens, from) =>
  tokens.findIndex(({ type }, index) => index > from && type === 'table_close');

const roles = {
  table: 'table',
  thead: 'rowgroup',
  tbody: 'rowgroup',
  tr: 'row',
  th: 'columnheader',
  td: 'cell',
};

function fit(tokens) {
  const cellsOf = (type) =>
    tokens.flatMap((token, index) => (token.type === type ? [{ token, inline: tokens[index + 1] }] : []));
  const heads = cellsOf('th_open').map(({ inline }) => plainText(inline));
  const cells = cellsOf('td_open').map((cell, index) => ({ ...cell, column: index % heads.length }));
  for (const { token, inline } of cells)
    if (inline.children.some(({ type, content }) => type === 'code_inline' && content.length > MAX_NAME))
      token.attrJoin('class', 'long');
  if (heads.every((head) => head === '')) tokens[0].attrJoin('class', 'headless');
  if (heads.length > MAX_COLUMNS) tokens[0].attrJoin('class', 'dense');
  const widths = heads.map((head, column) =>
    Math.max(
      longestWord(head),
      ...cells.filter((cell) => cell.column === column).map(({ inline }) => neededWidth(inline)),
    ),
  );
  if (widths.reduce((sum, width) => sum + width + 2, 0) <= PHONE_COLUMNS) return;
  tokens[0].attrJoin('class', 'stacked');
  for (const token of tokens)
    if (token.nesting === 1 && roles[token.tag]) token.attrSet('role', roles[token.tag]);
  for (const { token, column } of cells) if (heads[column]) token.attrSet('data-label', heads[column]);
}

/** Returns the characters that a cell needs side by side with others: its longest word, or enough to read its text. */
function neededWidth(inline) {
  const text = plainText(inline);
  const names = inline.children
    .filter(({ type }) => type === 'code_inline')
    .map(({ content }) => content.length);
  return Math.max(longestWord(text), Math.min(READABLE_COLUMNS, text.length), ...names);
}

const longestWord = (text) => Math.max(0, ...text.split(/[\s-]+/).map(({ length }) => length));

const plainText = ({ children }) =>
  children
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
