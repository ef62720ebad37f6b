import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, jest } from '@jest/globals';
import { parse } from 'yaml';
import { needs } from '../support/needs.js';
import { buildSite, builtSite, siteGenerator, sitePages } from './built-site.js';

const { test, describe } = needs(siteGenerator);
jest.setTimeout(600_000);

interface Api {
  readonly paths: Record<string, Record<string, { operationId: string; summary: string }>>;
  readonly components: {
    readonly schemas: Record<string, { properties?: Record<string, unknown> }>;
  };
}

const api: Api = parse(readFileSync('openapi.yaml', 'utf8'));

beforeAll(buildSite, 900_000);

test('every link of the site leads to an existing page, file or anchor', () => {
  const pages = new Map(sitePages().map((path) => [path, readFileSync(join(builtSite, path), 'utf8')]));
  const links = [...pages].flatMap(([from, html]) => linksOf(html).map((href) => ({ from, href })));
  expect(links.length).toBeGreaterThan(5_000);
  expect(links.filter(({ from, href }) => isDead(pages, from, href))).toEqual([]);
});

/** Returns all addresses within the site that a page links to. */
function linksOf(html: string): string[] {
  const elements = html.match(/<(?:a|link|img|script)\s[^>]*>/g) ?? [];
  const named = elements.flatMap((each) => /\s(?:href|src)="([^"]*)"/.exec(each)?.[1] ?? []);
  return named.filter((href) => !/^(?:https?|data|mailto):/.test(href));
}

function isDead(pages: ReadonlyMap<string, string>, from: string, href: string): boolean {
  const [path = '', anchor] = decodeURI(href).replaceAll('&amp;', '&').split('#');
  if (path.startsWith('/')) return true;
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  if (!existsSync(join(builtSite, target)) || target.endsWith('/')) return true;
  return !!anchor && !pages.get(target)?.includes(` id="${anchor}"`);
}

test('the generated reference contains every operation, schema and field of openapi.yaml', () => {
  const read = (path: string) => readFileSync(join(builtSite, 'api', path), 'utf8');
  const [overview, schemas] = ['index.html', 'schemas.html'].map(read);
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ call: `${method.toUpperCase()} ${path}`, ...each })),
  );
  const silent = calls.filter(({ call, operationId, summary }) => {
    const page = read(`${operationId.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.html`);
    return ![call, operationId, summary].every((words) => page.includes(words)) || !overview?.includes(call);
  });
  expect([calls.length > 8, silent]).toEqual([true, []]);
  const sections = new Map(schemas?.split('<h2 id="').map((each) => [/^[\w-]+/.exec(each)?.[0], each]));
  const missing = Object.entries(api.components.schemas).flatMap(([name, { properties = {} }]) => {
    const section = sections.get(name.toLowerCase()) ?? '';
    const rows = Object.keys(properties).filter((field) => !section.includes(`<code>${field}</code>`));
    return section === '' ? [name] : rows.map((field) => `${name}.${field}`);
  });
  expect(missing).toEqual([]);
});

describe('the site build with faulty sources', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'stepwise-site-'));
    for (const name of readdirSync('.').filter((each) => each !== 'docs' && each !== 'README.md'))
      symlinkSync(resolve(name), join(root, name));
    cpSync('docs', join(root, 'docs'), { recursive: true });
    cpSync('README.md', join(root, 'README.md'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  const refusal = () => {
    const { status, stderr } = spawnSync('node', ['site/build.js', '--root', root], { encoding: 'utf8' });
    return { status, stderr };
  };

  test('the site build fails for a page that is not in the navigation', () => {
    writeFileSync(join(root, 'docs/lost.md'), '# Lost\n');
    expect(refusal()).toEqual({ status: 1, stderr: 'docs/lost.md: missing in site/navigation.js\n' });
  });

  test('the site build fails for a navigation entry without a page', () => {
    rmSync(join(root, 'docs/mcp.md'));
    expect(refusal()).toEqual({ status: 1, stderr: 'site/navigation.js: docs/mcp.md does not exist\n' });
  });

  test('the site build fails for links to missing or outside targets and lists each', () => {
    const lines = ['[a](nothing.md)', '[b](../README.md#nothing)', '[c](../src/nothing.ts)', '[d](#nothing)'];
    appendFileSync(join(root, 'docs/mcp.md'), [...lines, '[e](../nothing/)', '[f](../../x)', ''].join('\n'));
    expect(refusal()).toEqual({
      status: 1,
      stderr: [
        'docs/mcp.md: nothing.md does not exist',
        'docs/mcp.md: ../README.md#nothing: README.md has no such heading',
        'docs/mcp.md: ../src/nothing.ts does not exist',
        'docs/mcp.md: #nothing: docs/mcp.md has no such heading',
        'docs/mcp.md: ../nothing/ does not exist',
        'docs/mcp.md: ../../x does not exist',
        '',
      ].join('\n'),
    });
  });
});
