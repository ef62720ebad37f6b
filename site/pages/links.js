import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The API document; links to it lead to the API reference. */
export const contract = 'openapi.yaml';
const reference = 'api/index.md';

export const isElsewhere = (href) => /^(?:[a-z][a-z+.-]*:|\/\/)/i.test(href);

/** Returns the path on the site of a Markdown file of the repository. */
export const sitePage = (path) => path.replace(/(^|\/)README\.md$/, '$1index.md');

/** Returns the path on the site of the page for another file or a folder. The dot becomes a hyphen, so that it ends in `.md` like a page. */
export const sourcePage = (path) => `source/${path.replace(/\.(?=[^/.]*$)/, '-')}.md`;

/**
 * Resolves a link in a file of the repository. Returns `page`, the page of the site; also `source` if the target is a file or folder
 * without a page of its own, which the site shows as it is; or only `problem` if the link is dead.
 */
export function follow(root, pages, from, href) {
  const [path, anchor] = href.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), decodeURI(path)).replace(/\/$/, '');
  const lost = { problem: `${from}: ${href} does not exist` };
  if (target.startsWith('..') || !existsSync(join(root, target))) return lost;
  if (target === contract) return { page: reference };
  if (pages.includes(target)) return { page: sitePage(target), target, anchor };
  const start = posix.join(target, 'README.md');
  if (statSync(join(root, target)).isDirectory() && pages.includes(start))
    return { page: sitePage(start), target: start, anchor };
  return { page: sourcePage(target), source: target };
}

/**
 * Returns a Markdown plugin for VitePress that rewrites links between files of the repository to links within
 * the site.
 */
export function siteLinks(root, pages) {
  const origins = new Map(pages.map((path) => [sitePage(path), path]));
  return (markdown) =>
    markdown.core.ruler.push('site_links', ({ tokens, env }) => {
      const from = origins.get(env.relativePath);
      for (const link of from ? tokens.flatMap(linksWithin) : []) {
        const { page, anchor } = follow(root, pages, from, link.attrGet('href'));
        if (page) link.attrSet('href', `/${page}${anchor ? `#${anchor}` : ''}`);
      }
    });
}

function linksWithin({ children }) {
  const links = (children ?? []).filter(({ type }) => type === 'link_open');
  return links.filter((link) => !isElsewhere(link.attrGet('href')) && !link.attrGet('href').startsWith('#'));
}
