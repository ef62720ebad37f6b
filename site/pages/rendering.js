/** A `<picture>` with one image for dark and one for light follows the system; here it follows the theme that is chosen. */
const pair =
  /<picture>\s*<source[^>]*\ssrcset="([^"]+)"[^>]*>\s*<img([^>]*)\ssrc="([^"]+)"([^>]*)>\s*<\/picture>/g;
const relative = (path) => (path.startsWith('.') ? path : `./${path}`);
const image = (scheme, path, rest) =>
  `<img class="in-${scheme}" loading="lazy" src="${relative(path)}"${rest.trimEnd().replace(/\/$/, '')}>`;

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

/** A block of code that is indented looks like one between fences. */
export function fencedBlocks(markdown) {
  markdown.core.ruler.push('fenced_blocks', ({ tokens }) => {
    for (const token of tokens.filter(({ type }) => type === 'code_block'))
      Object.assign(token, { type: 'fence', tag: 'code', markup: '```', info: 'text' });
  });
}

/** A cell of many words asks for room in its column; where the page is narrow the table is scrolled, and not one word to a line. */
export function wordyCells(markdown) {
  markdown.core.ruler.push('wordy_cells', ({ tokens }) => {
    for (const [index, token] of tokens.entries())
      if (token.type === 'td_open' && tokens[index + 1].content.length > 40) token.attrJoin('class', 'wordy');
  });
}
