import GithubSlugger from 'github-slugger';
import MarkdownIt from 'markdown-it';

const markdown = new MarkdownIt({ html: true, linkify: false });

/** Parses a page and returns its title, the anchors of its headings, its links and its pictures. */
export function readPage(text) {
  const tokens = markdown.parse(text, {});
  const headings = tokens.flatMap((token, index) =>
    token.type === 'heading_open' ? [plainText(tokens[index + 1])] : [],
  );
  const slugger = new GithubSlugger();
  const inline = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
  const html = inline.filter(({ type }) => type.startsWith('html_')).map(({ content }) => content);
  return {
    title: headings[0] ?? '',
    anchors: new Set(headings.map((heading) => slugger.slug(heading))),
    links: inline.flatMap((token) => (token.type === 'link_open' ? [token.attrGet('href')] : [])),
    pictures: [
      ...inline.flatMap((token) => (token.type === 'image' ? [token.attrGet('src')] : [])),
      ...html.flatMap((each) => [...each.matchAll(/\ssrc(?:set)?="([^"]+)"/g)].map(([, path]) => path)),
    ],
  };
}

function plainText({ children }) {
  return children
    .filter(({ type }) => type === 'text' || type === 'code_inline')
    .map(({ content }) => content)
    .join('');
}
