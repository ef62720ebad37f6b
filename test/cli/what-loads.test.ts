import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

const built = join(process.cwd(), '.build/src');

/** Returns the static imports of a compiled module. It has no imports of types; `import()` does not match. */
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

/** The first output waits for every module that is loaded before it (rule: terminal). */
test.each(commands)('cli/%s loads no package but commander, and no part of the service', (module) => {
  const loaded = [...loadedBy(`cli/${module}.js`)];
  const slow = loaded.filter((name) =>
    name.endsWith('.js') ? name.startsWith('service/') : !/^(?:node:|commander$)/.test(name),
  );
  expect(slow.filter((name) => name !== 'service/version.js')).toEqual([]);
});

test('the service starts without loading the OpenTelemetry SDK (rule: tracing)', () => {
  const loaded = [...loadedBy('service/run.js')];
  expect(loaded).toContain('service/operations/tracing/request-trace.js');
  expect(loaded.filter((name) => name.startsWith('@opentelemetry'))).toEqual([]);
});

test('the service listens before loading the modules that only steps need', () => {
  const loaded = [...loadedBy('service/run.js')];
  expect(loaded).toContain('service/http/routes/agent-routes.js');
  const rooms = ['tokens/', 'parsing/', 'service/context/', 'service/providers/upstream/'];
  const early = loaded.filter((name) => rooms.some((room) => name.startsWith(room)));
  const schemas = loaded.filter((name) => /^contract\/(?:step|history|tool|compaction)/.test(name));
  expect([...early, ...schemas]).toEqual([]);
});

test('the service listens for signals before loading its other modules (rule: shutdown)', () => {
  expect([...loadedBy('service/main.js')]).toEqual(['service/main.js', 'service/signals.js']);
});

test('`stepwise --help` loads neither the run loop nor the tool pack', () => {
  const loaded = loadedBy('cli/command-line.js');
  expect(loaded).toContain('cli/screen/render-event.js');
  for (const module of ['sdk/run/run.js', 'tools/tool-pack.js']) expect(loaded).not.toContain(module);
});
