import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

/** Rules are in `docs/reference`, each below a heading with its name; code cites a rule as `(rule: …)`. */
const pages = filesIn('docs/reference', '.md').map((path) => ({ path, text: read(path) }));
const rules = pages.flatMap(({ path, text }) =>
  [...text.matchAll(/^### ([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/gm)].map(([, name = '']) => ({ name, path })),
);
const names = new Set(rules.map(({ name }) => name));
const code = ['src', 'test', 'bench'].flatMap((folder) => filesIn(folder, '.ts'));
const citations = code.flatMap((path) => citedIn(read(path)).map((name) => ({ path, name })));

test('every rule has a unique name', () => {
  const twice = rules.filter(({ name }, index) => rules.findIndex((each) => each.name === name) !== index);
  expect(twice).toEqual([]);
});

test('every heading of the third level in the reference is the name of a rule', () => {
  const headings = pages.flatMap(({ text }) => [...text.matchAll(/^### (.*)$/gm)].map(([, name]) => name));
  expect(headings.filter((heading) => !names.has(heading ?? ''))).toEqual([]);
});

test('every rule begins with a sentence that states it', () => {
  const silent = pages.flatMap(({ text }) =>
    [...text.matchAll(/^### (.*)\n\n(.*)/gm)].filter(([, , first = '']) => !/^[A-Z0-9"`[]/.test(first)),
  );
  expect(silent.map(([, name]) => name)).toEqual([]);
});

test('every rule that code cites is in the reference', () => {
  expect(citations.filter(({ name }) => !names.has(name))).toEqual([]);
});

test('code cites no document outside the repository', () => {
  const elsewhere = /\bSPEC\b|['"`]§/;
  const others = code.filter((path) => !path.startsWith(join('test', 'docs')));
  expect(others.filter((path) => elsewhere.test(read(path)))).toEqual([]);
});

test('every rule is cited by a test that proves it', () => {
  const proved = new Set(citations.filter(({ path }) => path.startsWith('test')).map(({ name }) => name));
  expect([...names].filter((name) => !proved.has(name))).toEqual([]);
});

test('every link between the documents leads to an existing file and heading', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    ...['docs', 'test/conformance'].flatMap((folder) => filesIn(folder, '.md')),
  ];
  expect(documents.flatMap((path) => brokenLinksIn(path))).toEqual([]);
});

test('every project path that the documents name exists', () => {
  const documents = [
    'README.md',
    'CONTRIBUTING.md',
    'AGENTS.md',
    'SECURITY.md',
    'docs/security.md',
    ...filesIn('docs/decisions', '.md'),
  ];
  const named = documents.flatMap((document) =>
    [...read(document).matchAll(/`((?:src|test|bench|docs|examples|scripts)\/[\w./-]+)`/g)].map(
      ([, path = '']) => ({
        document,
        path,
      }),
    ),
  );
  expect(named.filter(({ path }) => !existsSync(path))).toEqual([]);
});

test('every defence on the security page names the test that proves it', () => {
  const [, table = ''] = /\| asset .*\n\| -.*\n((?:\|.*\n)+)/.exec(read('docs/security.md')) ?? [];
  const rows = table.trim().split('\n');
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.filter((row) => !/`test\/[\w./-]+` \|$/.test(row))).toEqual([]);
});

function filesIn(folder: string, extension: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(extension))
    .map((path) => join(folder, path));
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/**
 * Returns the rules that a text cites. A citation may continue on the next line of a comment. `(rule:` directly after a
 * word begins the parameters of a function, not a citation.
 */
function citedIn(text: string): string[] {
  const joined = text.replaceAll(/\n[ \t]*(?:\*|\/\/)[ \t]?/g, ' ');
  const found = joined.matchAll(/(?<!\w)\(rules?: ([a-z0-9-]+(?:, [a-z0-9-]+)*)\)/g);
  return [...found].flatMap(([, list = '']) => list.split(', '));
}

function brokenLinksIn(document: string): string[] {
  const prose = read(document).replaceAll(/^```.*?^```$/gms, '');
  const links = prose.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g);
  return [...links].flatMap(([link, path = '', anchor]) => {
    const target = path === '' ? document : join(document, '..', path);
    return leadsSomewhere(target, anchor) ? [] : [`${document}: ${link.slice(1)}`];
  });
}

function leadsSomewhere(target: string, anchor: string | undefined): boolean {
  return existsSync(target) && (anchor === undefined || anchorsOf(read(target)).has(anchor));
}

/** Returns the anchor that GitHub gives a heading: lower case, no punctuation, hyphens for spaces. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
