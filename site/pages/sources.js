import { readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, join, posix } from 'node:path';
import { sitePage, sourcePage } from './links.js';

const isIgnored = (name) => name.startsWith('.') || name === 'node_modules' || name === 'dist';
const languages = {
  '.conf': 'nginx',
  '.js': 'js',
  '.json': 'json',
  '.md': 'md',
  '.mjs': 'js',
  '.go': 'go',
  '.py': 'python',
  '.sh': 'sh',
  '.ts': 'ts',
  '.tsx': 'tsx',
  '.yaml': 'yaml',
  '.yml': 'yaml',
};

/**
 * Returns pages for linked files and folders that are not documents: the text of a file, or the list of a folder's entries, each with its
 * own page. The site's search ignores them.
 */
export function sourcePages(root, pages, linked) {
  const made = new Map();
  const waiting = [...linked];
  while (waiting.length > 0) {
    const path = waiting.shift();
    if (made.has(path)) continue;
    if (!statSync(join(root, path)).isDirectory()) {
      made.set(path, fileText(root, path));
      continue;
    }
    const entries = entriesOf(root, pages, path);
    waiting.push(...entries.flatMap(({ source }) => source ?? []));
    made.set(path, entries.map(({ name, page }) => `- [\`${name}\`](/${page})`).join('\n'));
  }
  return [...made].map(([path, text]) => ({
    path: sourcePage(path),
    text: `---\nsearch: false\noutline: false\n---\n\n# \`${path}\`\n\n${text}\n`,
  }));
}

/** Lists a folder. An entry that is a folder with a page of its own links to that page, and its files get no pages. */
function entriesOf(root, pages, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !isIgnored(name))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map((entry) => {
      const path = posix.join(folder, entry.name);
      const start = posix.join(path, 'README.md');
      const page = [path, start].find((each) => pages.includes(each));
      const name = entry.isDirectory() ? `${entry.name}/` : entry.name;
      return page ? { name, page: sitePage(page) } : { name, page: sourcePage(path), source: path };
    });
}

function fileText(root, path) {
  const bytes = readFileSync(join(root, path));
  if (bytes.includes(0)) return `Binary file, ${bytes.length} bytes.`;
  const text = bytes.toString('utf8').trimEnd();
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([{ length }]) => length + 1)));
  return `${fence}${languages[extname(path)] ?? 'text'}\n${text}\n${fence}`;
}
