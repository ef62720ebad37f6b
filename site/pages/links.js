import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';

/** The document of the API is shown as the reference that is made of it. */
export const contract = 'openapi.yaml';
const reference = 'api/index.md';

export const isElsewhere = (href) => /^(?:[a-z][a-z+.-]*:|\/\/)/i.test(href);

/** The page of the site that is made of a Markdown file of the repository. */
export const sitePage = (path) => path.replace(/(^|\/)README\.md$/, '$1index.md');

/** The page of the site that shows any other file, or what is in a folder. Its name ends as no other kind of file does. */
export const sourcePage = (path) => `source/${path.replace(/\.(?=[^/.]*$)/, '-')}.md`;

/**
 * Where a link in a file of the repository leads: `page`, a page of the site; `source`, a file or folder that has no page of its own and
 * is shown as it is; or, with `problem`, nowhere.
 */
export function follow(root, pages, from, href) {
  const [path, anchor] = href.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), decodeURI(path)).replace(/\/$/, '');
  const lost = { problem: `${from}: ${href} leads nowhere` };
  if (target.startsWith('..') || !existsSync(join(root, target))) return lost;
  if (target === contract) return { page: reference };
  if (pages.includes(target)) return { page: sitePage(target), target, anchor };
  const start = posix.join(target, 'README.md');
  if (statSync(join(root, target)).isDirectory() && pages.includes(start))
    return { page: sitePage(start), target: start, anchor };
  return { page: sourcePage(target), source: target };
}

/** For VitePress: each link of a page as a link within the site. */
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
