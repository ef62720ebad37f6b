import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';

const tsc = 'node_modules/typescript/bin/tsc';
const types = resolve('.build/public-surface');

beforeAll(() => {
  const emit = [
    '-p',
    'tsconfig.build.json',
    '--outDir',
    types,
    '--emitDeclarationOnly',
    '--sourceMap',
    'false',
  ];
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...emit], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
}, 120_000);

/** Code of a consumer, which the test compiles with the strictest settings. */
const consumer = `
import { defineTool, StepwiseClient, type ApprovalRule, type RunEvent, type ToolArguments } from 'stepwise';
import { startService, type Settings } from 'stepwise/server';
import { createReadTools, createToolPack, type ToolPackOptions } from 'stepwise/tools';
import { z } from 'zod';

const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:8080', llmKey: process.env['LLM_KEY'], token: undefined });
const forecast = defineTool({
  name: 'forecast',
  description: 'The weather to come.',
  inputSchema: z.toJSONSchema(z.object({ place: z.string(), days: z.number().optional() })),
  execute: (args) => { const given: ToolArguments = args; return given['place']; },
});
const convert = defineTool({
  name: 'convert',
  description: 'Convert a temperature.',
  inputSchema: {
    type: 'object',
    properties: { to: { enum: ['celsius', 'kelvin'] }, value: { type: 'number' }, note: {} },
    required: ['to', 'value'],
  },
  annotations: { readOnlyHint: undefined },
  preview: undefined,
  execute: ({ to, value, note }) => {
    const unit: 'celsius' | 'kelvin' = to;
    const known: unknown = note;
    return value.toFixed(1) + unit + String(known);
  },
});
const given: ToolPackOptions = { maxLines: undefined, maxFiles: undefined, maxMatches: undefined, commandTimeoutMs: undefined, savedRunsFolder: undefined };
const settings: Settings = {
  PORT: undefined,
  UPSTREAMS: { mine: { url: 'http://127.0.0.1:1/v1', keyRequired: undefined, contextWindow: undefined, maxTokensParam: undefined, encoding: undefined } },
};
export const all = [createToolPack('.', given), startService(settings)] as const;
const maxSteps: number | undefined = undefined;
const run = client.run('What is this project about?', {
  llmConfig: { modelName: 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000, temperature: undefined },
  tools: [...(await createReadTools('.')), forecast, convert],
  maxSteps,
  instructions: undefined,
  context: { paths: undefined },
  approve: async ({ rules: [rule] }) => (rule ? { type: 'always', rule } : { type: 'deny', reason: 'No.' }),
});
for await (const event of run) {
  const each: RunEvent = event;
  if (each.type === 'agent_reason') console.log(each.thought);
}
const rules: readonly ApprovalRule[] = run.approvalRules;
const { history, answer } = await run.result();
const next = client.run('And then?', { llmConfig: { modelName: 'offline' }, history, approvalRules: rules });
console.log(answer, (await next.result()).summary());
`;

test('code of a consumer compiles with strict and exactOptionalPropertyTypes, also with Zod schemas (rule: run-options)', () => {
  const folder = join(types, 'consumer');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'consumer.ts'), consumer);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    module: 'nodenext',
    target: 'es2023',
    types: ['node'],
    noEmit: true,
    paths: {
      stepwise: [`${types}/sdk/index.d.ts`],
      'stepwise/tools': [`${types}/tools/index.d.ts`],
      'stepwise/server': [`${types}/service/server.d.ts`],
    },
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
}, 120_000);

test('the SDK imports no package and no Node module (rule: run-events)', () => {
  const seen = new Set<string>();
  const visit = (file: string) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const specifier of importsOf(readFileSync(file, 'utf8'))) {
      expect({ file, specifier }).toEqual({ file, specifier: expect.stringMatching(/^\.\.?\//) });
      visit(resolve(dirname(file), specifier));
    }
  };
  visit(resolve('.build/src/sdk/index.js'));
  expect([...seen].some((file) => file.endsWith('/stepwise-client.js'))).toBe(true);
});

describe('exports of the SDK', () => {
  /** Returns the declarations of a module by name, each with its docstring. */
  const declared = (file: string) => {
    const text = readFileSync(join(types, file), 'utf8');
    const found = text.matchAll(
      /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?^export (?:declare )?(?:abstract )?(?:class|interface|type|function|const) (\w+)([\s\S]*?)(?=^export |^\/\*\*|^(?:declare|interface|type) |(?![\s\S]))/gm,
    );
    return [...found].map(([, docstring, name = '', body = '']) => ({ name, docstring, body }));
  };
  const exported = () =>
    [
      ...readFileSync(join(types, 'sdk/index.d.ts'), 'utf8').matchAll(
        /export (?:type )?\{([^}]*)\} from '([^']+)'/g,
      ),
    ].map(([, names = '', from = '']) => ({
      names: names
        .split(',')
        .map((name) => name.replace(/\btype\b/, '').trim())
        .filter(Boolean),
      file: join('sdk', from.replace(/\.js$/, '.d.ts')),
    }));
  const withBodies = () =>
    exported().flatMap(({ names, file }) =>
      declared(file)
        .filter(({ name }) => names.includes(name))
        .map((each) => ({ ...each, file })),
    );

  test('the docstring test finds every export of the SDK', () => {
    const names = exported().flatMap((each) => each.names);
    expect(new Set(withBodies().map(({ name }) => name))).toEqual(new Set(names));
    expect(names.length).toBeGreaterThan(60);
  });

  test('every export of the SDK has a docstring, and so has every member of its own interfaces and classes', () => {
    const bare = withBodies().flatMap(({ name, docstring, body, file }) => [
      ...(docstring ? [] : [name]),
      ...(file.includes('/contract/') || file.startsWith('contract') ? [] : bareMembers(body)).map(
        (member) => `${name}.${member}`,
      ),
    ]);
    expect(bare).toEqual([]);
  });

  test('every type in a signature of the SDK is exported by its entry', () => {
    const names = new Set(exported().flatMap((each) => each.names));
    const own = new Set(
      [...sdkModules()]
        .flatMap((file) => declared(file).map(({ name }) => name))
        .filter((name) => /^[A-Z]/.test(name)),
    );
    const hidden = withBodies().flatMap(({ name, body }) =>
      [...withoutComments(body).matchAll(/\b[A-Z]\w+\b/g)]
        .map(([used]) => used)
        .filter((used) => own.has(used) && !names.has(used))
        .map((used) => `${name} → ${used}`),
    );
    expect([...new Set(hidden)]).toEqual([]);
  });

  function sdkModules(): Set<string> {
    const seen = new Set<string>();
    const visit = (file: string) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const specifier of importsOf(readFileSync(join(types, file), 'utf8')))
        if (specifier.startsWith('.')) visit(join(dirname(file), specifier.replace(/\.js$/, '.d.ts')));
    };
    visit('sdk/index.d.ts');
    return seen;
  }
});

/** Returns the members without a comment, at the first level of an interface or class; `type` and `name` need none. */
function bareMembers(body: string): string[] {
  const lines = body.split('\n');
  return lines.flatMap((line, index) => {
    const member = /^ {4}(?:readonly |get )?(?!constructor\b|type\b|name\b|#)(\w+)\??[:(<]/.exec(line)?.[1];
    const inBlock = /^[^{=(]*\{/.test(body);
    return member && inBlock && !lines[index - 1]?.trimEnd().endsWith('*/') ? [member] : [];
  });
}

const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/'[^']*'/g, "''");

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?'([^']+)'/g)].map(([, specifier = '']) => specifier);
