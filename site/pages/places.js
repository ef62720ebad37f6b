import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { collapsedGroups, navigation } from '../navigation.js';
import { apiPages } from './api.js';
import { sitePage } from './links.js';
import { readPage } from './read-page.js';

/** Returns the paths of all Markdown files on the site, in the order of the navigation. */
export const listedPages = (root) => Object.values(navigation).flatMap((lines) => pagesOf(root, lines));

const pagesOf = (root, lines) => lines.flatMap((line) => (line.endsWith('/') ? pagesIn(root, line) : [line]));

function pagesIn(root, folder) {
  if (!existsSync(join(root, folder))) return [folder];
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
  return names.sort().map((name) => posix.join(folder, name));
}

/** Returns the faults of the navigation: pages of `docs/` that are missing, files that do not exist, and pages that occur twice. */
export function navigationFaults(root) {
  const listed = listedPages(root);
  const written = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => posix.join('docs', path.replaceAll('\\', '/')))
    .filter((path) => path.endsWith('.md'));
  return [
    ...written
      .filter((path) => !listed.includes(path))
      .map((path) => `${path}: missing in site/navigation.js`),
    ...listed
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `site/navigation.js: ${path} does not exist`),
    ...listed
      .filter((path, index) => listed.indexOf(path) < index)
      .map((path) => `site/navigation.js: ${path} occurs twice`),
  ];
}

export function sidebar(root) {
  const groups = Object.entries(navigation).map(([text, lines]) => ({
    text,
    ...(collapsedGroups.includes(text) ? { collapsed: true } : {}),
    items: pagesOf(root, lines).map((path) => item(sitePage(path), readFileSync(join(root, path), 'utf8'))),
  }));
  const api = {
    text: 'API',
    collapsed: true,
    items: apiPages(root).map(({ path, text }) => item(path, text)),
  };
  const after = groups.findIndex(({ text }) => text === 'Reference') + 1;
  return groups.toSpliced(after, 0, api);
}

const item = (page, text) => ({ text: readPage(text).title, link: `/${page.replace(/(index)?\.md$/, '')}` });
