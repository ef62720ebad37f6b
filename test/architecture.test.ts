import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

/** Who may import whom, nearest room first; a room may always import itself. `npm:*` allows any package. */
const rooms: Record<string, readonly string[]> = {
  contract: ['zod', 'yaml'],
  'service/tokens': ['js-tiktoken', 'node:crypto'],
  'service/parsing': ['contract', '@cfworker/json-schema'],
  'service/context': ['contract', 'service/tokens', 'ignore', 'node:'],
  'service/agent': ['contract', 'service/tokens', 'service/context', 'service/parsing', 'node:crypto'],
  'service/providers': [
    'contract',
    'service/tokens',
    'service/agent',
    'openai',
    '@anthropic-ai/sdk',
    'undici',
    'zod',
    'node:',
  ],
  'service/offline': ['node:'],
  'service/http': [
    'contract',
    'service/agent',
    'service/context',
    'service/parsing',
    'service/providers',
    'service/tokens',
    'npm:',
    'node:',
  ],
  service: [
    'contract',
    'service/agent',
    'service/http',
    'service/context',
    'service/tokens',
    'service/providers',
    'service/offline',
    'npm:',
    'node:',
  ],
  sdk: ['contract:types'],
  tools: ['sdk', 'contract:types', 'ignore', 'diff', 'node:'],
  cli: ['contract:types', 'sdk', 'tools', 'service', 'service/parsing', 'npm:', 'node:'],
};

const source = join(process.cwd(), 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.ts'),
);
const roomOf = (file: string): string =>
  Object.keys(rooms)
    .filter((room) => file.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0] ?? `unplanned: ${file}`;

interface Import {
  from: string;
  target: string;
  file?: string;
  typeOnly: boolean;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm,
  );
  return [...statements].map(([, type, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? '';
    const local = specifier.startsWith('.')
      ? relative(source, join(source, dirname(file), specifier)).replace(/\.js$/, '.ts')
      : undefined;
    return {
      from: file,
      target: local ? roomOf(local) : specifier,
      ...(local && { file: local }),
      typeOnly: Boolean(type),
    };
  });
}

function allowed({ from, target, file, typeOnly }: Import): boolean {
  const room = roomOf(from);
  if (target === room) return true;
  return (rooms[room] ?? []).some((rule) => {
    if (rule === 'npm:') return !file && !target.startsWith('node:');
    if (rule === 'node:') return target.startsWith('node:');
    if (rule.endsWith(':types')) return typeOnly && target === rule.slice(0, -':types'.length);
    return file ? target === rule : target === rule || target.startsWith(`${rule}/`);
  });
}

test('every import follows the house plan', () => {
  const broken = files.flatMap(importsOf).filter((each) => !allowed(each));
  expect(broken.map(({ from, file, target }) => `${from} → ${file ?? target}`)).toEqual([]);
});

test('no import cycle', () => {
  const graph = new Map(
    files.map((file) => [
      file,
      importsOf(file).flatMap((each) => (each.file && !each.typeOnly ? [each.file] : [])),
    ]),
  );
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [[...path, file].join(' → ')];
    if (done.has(file)) return [];
    const found = (graph.get(file) ?? []).flatMap((next) => visit(next, [...path, file]));
    done.add(file);
    return found;
  };
  expect(files.flatMap((file) => visit(file, []))).toEqual([]);
});
