import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { hiddenTypes, publicMembers, typesShown } from '../support/public-members.js';

const tsc = 'node_modules/typescript/bin/tsc';
const types = resolve('.build/public-surface');
const manifest: { exports: Record<string, string | { types: string }> } = JSON.parse(
  readFileSync('package.json', 'utf8'),
);

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

/** Declaration files of the package's entries, by the name that users import. */
const entries: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [[entry.replace('.', 'stepwise'), target.types.replace('./dist', types)]],
  ),
);

/**
 * Members that the docstring test must find, by entry. Without this check, the test would also pass if it found none.
 */
const samples: Readonly<Record<string, readonly string[]>> = {
  stepwise: ['Step.action_details', 'RunEvent.toolName', 'StepwiseError.Constructor', 'Run.save'],
  'stepwise/tools': ['ProjectRoot.open', 'ToolPackOptions.secrets'],
  'stepwise/tools/browser': ['StoredFolder.Constructor', 'PickedFile.createWritable', 'WalkedEntry.path'],
  'stepwise/markdown': ['MarkdownNode.href', 'ListItem.checked'],
  'stepwise/mcp': ['McpOptions.servers', 'McpTools.tools'],
  'stepwise/server': ['Settings.PORT', 'Config.PORT', 'Config.REDIS_URL', 'ConfigError.problems'],
  'stepwise/network': ['proxyFetch', 'ConnectOptions.authority'],
  'stepwise/parsing': ['ParsedCompletion.outcome', 'IncrementalParser.Constructor', 'JsonValue'],
  'stepwise/testing': ['FakeProvider.requests', 'ScriptedReply.text'],
};

describe('declarations of the package', () => {
  const entry = join(types, 'sdk/index.d.ts');

  test.each(
    Object.entries(samples),
  )('every export of %s and every member of it has a docstring', (name, some) => {
    const members = publicMembers([entries[name] ?? '']);
    expect(members.filter(({ documentation }) => documentation === '')).toEqual([]);
    expect(members.map(({ path }) => path)).toEqual(expect.arrayContaining([...some]));
  });

  test('the docstring test covers every entry of package.json', () => {
    expect(Object.keys(samples).sort()).toEqual(Object.keys(entries).sort());
  });

  test('the docstring test finds an export, a member and a nested member that have no docstring', () => {
    const file = join(types, 'bare.d.ts');
    writeFileSync(
      file,
      `export interface Bare {
  a: string;
  /** Documented. */
  b: { c: number };
}
/** Documented. */
export declare class Known {
  constructor(d: string);
  private hidden: string;
}
/** Documented. */
export type Either =
  | { e: 1 }
  | {
      /** Documented. */
      f: 2;
    };`,
    );
    const bare = publicMembers([file]).filter(({ documentation }) => documentation === '');
    expect(new Set(bare.map(({ path }) => path))).toEqual(
      new Set(['Bare', 'Bare.a', 'Bare.b.c', 'Known.Constructor', 'Either.e']),
    );
  });

  test('an editor shows the names of wire types, and exports all of them', () => {
    const text = `
import { StepwiseClient, type RunEvent, type StepRequestInput } from './sdk/index.js';
const client = new StepwiseClient({ baseUrl: '' });
declare const request: StepRequestInput;
declare const event: RunEvent & { type: 'agent_reason' };
const step = await client.step(request);
const preview = await client.preview(request);
const action = step.action_details;
const usage = step.usage;
const report = preview.context_report;
const config = request.llm_config;
const history = request.conversation_history;
const { response } = event;
`;
    const names = ['step', 'preview', 'action', 'usage', 'report', 'config', 'history', 'response'];
    expect(typesShown(join(types, 'hover.ts'), text, names)).toEqual({
      step: 'Step',
      preview: 'Preview',
      action: 'ActionDetails | null',
      usage: 'Usage | null',
      report: 'ContextReport',
      config: 'LlmConfigInput',
      history: 'readonly TurnInput[]',
      response: 'Step',
    });
  });

  test('every type in a signature of the SDK is exported by its entry', () => {
    expect(hiddenTypes([entry])).toEqual([]);
  });

  test('every type in a signature of the package is exported by one of its entries', () => {
    expect(hiddenTypes(Object.values(entries))).toEqual([]);
  });
});

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:^(?:import|export)\b(?:[^'"=(;]*\bfrom)? |\bimport\()'([^']+)'/gm)].map(
    ([, specifier = '']) => specifier,
  );
