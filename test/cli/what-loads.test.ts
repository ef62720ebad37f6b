import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

const built = join(process.cwd(), '.build/src');

/** What a module imports before it runs, as it was emitted: types are gone, `import()` comes later. */
const importsOf = (file: string): string[] =>
  [
    ...readFileSync(join(built, file), 'utf8').matchAll(/^(?:import|export) (?:[^'"]*? from )?'([^']+)'/gm),
  ].map(([, specifier = '']) => specifier);

function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('.')) loadedBy(relative(built, join(built, dirname(file), specifier)), seen);
    else seen.add(specifier);
  }
  return seen;
}

const commands = ['command-line', 'commands/run-tool', 'commands/run-tasks'];

/** A person waits for what is loaded before the first line is seen (rule: terminal). */
test.each(commands)('cli/%s loads no package but commander, and no part of the service', (module) => {
  const loaded = [...loadedBy(`cli/${module}.js`)];
  const slow = loaded.filter((name) =>
    name.endsWith('.js') ? name.startsWith('service/') : !/^(?:node:|commander$)/.test(name),
  );
  expect(slow.filter((name) => name !== 'service/version.js')).toEqual([]);
});

test('the service starts without the SDK of OpenTelemetry (rule: tracing)', () => {
  const loaded = [...loadedBy('service/run.js')];
  expect(loaded).toContain('service/operations/tracing/request-trace.js');
  expect(loaded.filter((name) => name.startsWith('@opentelemetry'))).toEqual([]);
});

test('the service listens before anything is loaded that only steps need', () => {
  const loaded = [...loadedBy('service/run.js')];
  expect(loaded).toContain('service/http/routes/agent-routes.js');
  const rooms = ['tokens/', 'parsing/', 'service/context/', 'service/providers/upstream/'];
  const early = loaded.filter((name) => rooms.some((room) => name.startsWith(room)));
  const schemas = loaded.filter((name) => /^contract\/(?:step|history|tool|compaction)/.test(name));
  expect([...early, ...schemas]).toEqual([]);
});

test('the service heeds signals before anything else of it is loaded (rule: shutdown)', () => {
  expect([...loadedBy('service/main.js')]).toEqual(['service/main.js', 'service/signals.js']);
});

test('`stepwise --help` loads neither a run nor the tool pack', () => {
  const loaded = loadedBy('cli/command-line.js');
  expect(loaded).toContain('cli/screen/render-event.js');
  for (const module of ['sdk/run/run.js', 'tools/tool-pack.js']) expect(loaded).not.toContain(module);
});
