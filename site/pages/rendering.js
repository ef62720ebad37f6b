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

/** Markdown plugin that renders indented code blocks like fenced ones. */
export function fencedBlocks(markdown) {
  markdown.core.ruler.push('fenced_blocks', ({ tokens }) => {
    for (const token of tokens.filter(({ type }) => type === 'code_block'))
      Object.assign(token, { type: 'fence', tag: 'code', markup: '```', info: 'text' });
  });
}

/** Markdown plugin that marks table cells with much text, so that the style sheet gives them a minimum width on narrow screens. */
export function wordyCells(markdown) {
  markdown.core.ruler.push('wordy_cells', ({ tokens }) => {
    for (const [index, token] of tokens.entries())
      if (token.type === 'td_open' && tokens[index + 1].content.length > 40) token.attrJoin('class', 'wordy');
  });
}
