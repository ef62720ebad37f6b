import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

/**
 * Allowed imports of each room (a folder of `src`); a room may always import itself. An entry is another room, `room/`
 * for a room and its sub-rooms, `room:types` for types only, a package, `node:x`, or a family that ends with `:`
 * (`npm:`, `node:`).
 */
const rooms: Record<string, readonly string[]> = {
  contract: ['zod', 'yaml'],
  conversation: ['contract:types'],
  'conversation/convert': ['contract:types', 'conversation', 'parsing'],
  files: ['event-loop'],
  'files/disk': ['files', 'node:'],
  'event-loop': [],
  network: [],
  'network/proxies': ['network', 'undici', 'node:'],
  markdown: ['marked'],
  tokens: ['event-loop', 'js-tiktoken', 'node:'],
  parsing: ['@cfworker/json-schema'],
  'parsing/structured': ['parsing'],
  offline: ['minisearch', 'node:'],
  'service/context': ['contract', 'files', 'files/disk', 'event-loop', 'network', 'tokens', 'node:'],
  'service/step': [
    'contract',
    'conversation',
    'event-loop',
    'network:types',
    'tokens',
    'service/context',
    'parsing',
    'parsing/structured',
    'node:crypto',
  ],
  'service/providers': [
    'contract',
    'service/step',
    'event-loop',
    'network',
    'network/proxies',
    'parsing',
    'tokens',
    'openai',
    '@anthropic-ai/sdk',
    'eventsource-parser',
    'undici',
    'zod',
    'node:',
  ],
  'service/compat': [
    'contract',
    'conversation',
    'conversation/convert',
    'event-loop',
    'service/step',
    'openai',
    '@anthropic-ai/sdk',
    'zod',
    'node:crypto',
  ],
  'service/recording': [
    'contract:types',
    'event-loop',
    'files/disk',
    'service/context:types',
    'service/step',
    'service/watching:types',
    'pino',
    'node:',
  ],
  'service/watching': ['contract'],
  'service/operations': ['node:'],
  'service/operations/limits': ['rate-limiter-flexible', '@redis/client', 'pino', 'node:'],
  'service/operations/metrics': [
    'contract:types',
    'service/step:types',
    'service/operations/limits:types',
    'service/providers:types',
    'prom-client',
  ],
  'service/operations/access': [
    'files/disk',
    'service/operations/limits:types',
    'yaml',
    'zod',
    'pino',
    'node:',
  ],
  'service/operations/tracing': [
    'contract',
    'service/step',
    'service/providers:types',
    '@opentelemetry',
    'pino',
    'node:',
  ],
  'service/operations/logging': ['pino'],
  'service/settings': [
    'contract',
    'network/proxies',
    'service/operations/limits',
    'service/providers',
    'zod',
    'node:',
  ],
  'service/http': [
    'contract',
    'conversation',
    'service/compat',
    'service/operations/access:types',
    'service/operations/limits',
    'service/operations/metrics:types',
    'service/step',
    'service/context',
    'event-loop',
    'network',
    'network/proxies',
    'service/providers',
    'service/operations/tracing',
    'service/watching:types',
    'npm:',
    'node:',
  ],
  service: [
    'contract',
    'service/operations/access',
    'service/operations/limits',
    'service/operations/logging',
    'service/operations/metrics',
    'service/operations',
    'service/operations/tracing',
    'service/step',
    'service/context',
    'event-loop',
    'network/proxies',
    'service/http',
    'service/providers',
    'service/recording',
    'service/settings',
    'service/watching',
    'tokens',
    'offline',
    'npm:',
    'node:',
  ],
  'sdk/base': ['contract:types', 'conversation'],
  'sdk/actions': ['contract:types', 'conversation', 'sdk/base'],
  'sdk/run': ['contract:types', 'conversation', 'sdk/base', 'sdk/actions'],
  'sdk/view': ['contract:types', 'conversation', 'sdk/base', 'sdk/actions:types', 'sdk/run:types'],
  'sdk/saved': ['contract:types', 'conversation', 'sdk/base', 'sdk/actions', 'sdk/run'],
  'sdk/client': ['contract:types', 'conversation', 'network', 'sdk/base', 'sdk/run'],
  sdk: [
    'contract:types',
    'conversation',
    'sdk/base',
    'sdk/actions',
    'sdk/run',
    'sdk/view',
    'sdk/saved',
    'conversation/convert',
    'sdk/client',
  ],
  'tools/folder': ['sdk/', 'files'],
  'tools/read': ['sdk/', 'files', 'event-loop', 'tools/folder'],
  'tools/write': ['sdk/', 'tools/folder', 'tools/read', 'diff'],
  'tools/portable': ['sdk/', 'files', 'tools/folder', 'tools/read', 'tools/write'],
  tools: ['network', 'sdk/', 'files', 'files/disk', 'tools/folder', 'tools/read', 'tools/portable', 'node:'],
  mcp: [
    'conversation',
    'network/proxies',
    'sdk/',
    'tools',
    'tools/read',
    '@modelcontextprotocol/client',
    'cross-spawn',
    'node:',
  ],
  eval: [
    'contract:types',
    'conversation',
    'network',
    'parsing',
    'sdk/base',
    'sdk/client:types',
    'sdk/run:types',
    'sdk/saved',
    'service:types',
    'diff',
    'yaml',
    'zod',
    'node:',
  ],
  playground: [
    'contract:types',
    'conversation',
    'eval:types',
    'sdk/',
    'tools/portable',
    'parsing',
    'markdown',
    'diff',
    'preact',
    '@preact/signals',
  ],
  cli: [
    'contract:types',
    'conversation',
    'eval',
    'files',
    'files/disk',
    'markdown',
    'mcp',
    'network',
    'network/proxies',
    'sdk/',
    'tools',
    'tools/folder',
    'tools/portable',
    'tools/read',
    'tools/write',
    'service',
    'service/operations/access',
    'service/settings',
    'parsing',
    '@agentclientprotocol/sdk',
    'commander',
    'marked',
    'string-width',
    'node:',
  ],
};

const source = join(process.cwd(), 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
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

const sourceOf = (imported: string): string => {
  const stem = imported.replace(/\.js$/, '');
  return files.includes(`${stem}.tsx`) ? `${stem}.tsx` : `${stem}.ts`;
};

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), 'utf8');
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?[^;'"]*?from\s+'([^']+)'|^import\s+'([^']+)'|import\('([^']+)'\)/gm,
  );
  return [...statements].map(([, type, from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? '';
    const local = specifier.startsWith('.')
      ? sourceOf(relative(source, join(source, dirname(file), specifier)))
      : undefined;
    return {
      from: file,
      target: local ? roomOf(local) : specifier,
      ...(local && { file: local }),
      typeOnly: Boolean(type),
    };
  });
}

const imports = files.flatMap(importsOf);
const crossing = imports.filter(({ from, target }) => roomOf(from) !== target);

function permits(rule: string, { target, file, typeOnly }: Import): boolean {
  if (rule === 'npm:') return !file && !target.startsWith('node:');
  if (rule === 'node:') return target.startsWith('node:');
  if (rule.endsWith('/')) return target === rule.slice(0, -1) || target.startsWith(rule);
  if (rule.endsWith(':types')) return typeOnly && target === rule.slice(0, -':types'.length);
  return file ? target === rule : target === rule || target.startsWith(`${rule}/`);
}

const rulesOf = (file: string): readonly string[] => rooms[roomOf(file)] ?? [];

test('each source file imports only what the table of allowed imports permits', () => {
  const broken = crossing.filter((each) => !rulesOf(each.from).some((rule) => permits(rule, each)));
  expect(broken.map(({ from, file, target }) => `${from} → ${file ?? target}`)).toEqual([]);
});

test('the table of allowed imports has no entry that no file uses', () => {
  const unused = Object.entries(rooms).flatMap(([room, rules]) => {
    const own = crossing.filter(({ from }) => roomOf(from) === room);
    return rules
      .filter((rule) => !own.some((each) => permits(rule, each)))
      .map((rule) => `${room} → ${rule}`);
  });
  expect(unused).toEqual([]);
});

test('the modules have no import cycle, not even through type-only imports', () => {
  const graph = new Map(files.map((file) => [file, importsOf(file).flatMap((each) => each.file ?? [])]));
  const done = new Set<string>();
  const visit = (file: string, path: string[]): string[] => {
    if (path.includes(file)) return [[...path.slice(path.indexOf(file)), file].join(' → ')];
    if (done.has(file)) return [];
    const found = (graph.get(file) ?? []).flatMap((next) => visit(next, [...path, file]));
    done.add(file);
    return found;
  };
  expect(files.flatMap((file) => visit(file, []))).toEqual([]);
});
