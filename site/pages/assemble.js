import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { apiPages } from './api.js';
import { contract, follow, isElsewhere, sitePage } from './links.js';
import { listedPages, navigationFaults } from './places.js';
import { readPage } from './read-page.js';
import { sourcePages } from './sources.js';

/** Faults that prevent building the site, one a line. */
export class SiteProblems extends Error {
  constructor(problems) {
    super(problems.join('\n'));
    this.name = 'SiteProblems';
  }
}

/**
 * Writes everything that VitePress reads into a folder: the pages of the repository under their paths, their pictures, pages for linked
 * files, and the API reference. Throws `SiteProblems` for faults of the navigation, dead links and dead anchors.
 */
export function assemble(root, folder) {
  const faults = navigationFaults(root);
  if (faults.length > 0) throw new SiteProblems(faults);
  const paths = listedPages(root);
  const pages = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const read = new Map([...pages].map(([path, text]) => [path, readPage(text)]));

  const links = [...read].flatMap(([from, { links: each }]) => linksOf(root, paths, from, each));
  const dead = links.flatMap((link) => link.problem ?? deadAnchor(read, link));
  if (dead.length > 0) throw new SiteProblems(dead);

  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of pages) write(folder, sitePage(path), text);
  for (const { path, text } of sourcePages(
    root,
    paths,
    links.flatMap(({ source }) => source ?? []),
  ))
    write(folder, path, text);
  for (const { path, text } of apiPages(root)) write(folder, path, text);
  for (const [from, { pictures }] of read)
    for (const picture of pictures.filter((each) => !isElsewhere(each))) {
      const path = posix.join(posix.dirname(from), picture);
      cpSync(join(root, path), join(folder, path));
    }
  cpSync(join(root, contract), join(folder, 'public', contract));
  cpSync(join(root, 'src/playground/icon.svg'), join(folder, 'public/icon.svg'));
}

const linksOf = (root, paths, from, hrefs) =>
  hrefs
    .filter((href) => !isElsewhere(href))
    .map((href) => ({ from, href, ...follow(root, paths, from, href) }));

function deadAnchor(read, { from, href, target, anchor }) {
  if (anchor === undefined || read.get(target)?.anchors.has(anchor)) return [];
  return [`${from}: ${href}: ${target} has no such heading`];
}

function write(folder, path, text) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
