import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import type { RunLlmConfig, RunResult, Trajectory } from '../../src/sdk/index.js';
import { act, answer } from '../support/cli-harness.js';
import { blocks, emitOptions, strictly, withCompiledEntries } from '../support/document-snippets.js';
import { patientEnvironment } from '../support/patience.js';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.js';

/** Copies each block of the guide into the file that its first line names, and runs the files against the service. */
const guide = readFileSync('docs/editor-integration.md', 'utf8');
const built = resolve('.build/editor-integration');
const inNode = promisify(execFile);
const compiler = resolve('node_modules/typescript/bin/tsc');

let service: ServiceProcess;
let provider: FakeProvider;
let modules: readonly string[];

beforeAll(async () => {
  provider = await startFakeProvider();
  const url = `${provider.url}/v1`;
  const UPSTREAMS = JSON.stringify({ fake: url, guarded: { url, keyRequired: true } });
  service = await startServiceProcess({ ...patientEnvironment, UPSTREAMS });
  rmSync(built, { recursive: true, force: true });
  mkdirSync(built, { recursive: true });
  for (const block of blocks(guide, 'js')) write(block);
  modules = blocks(guide, 'ts').map(write);
}, 60_000);
afterAll(() => Promise.all([service.stop(), provider.close()]));

/** Writes a block under the name in its first line, with the scripted model in place of the offline one. */
function write(block: string): string {
  const [, name = ''] = /^\/\/ ([\w-]+\.m?[jt]s)$/m.exec(block) ?? [];
  expect(name).not.toBe('');
  const local = block
    .replaceAll('http://127.0.0.1:8080', service.url)
    .replaceAll("modelName: 'offline'", "modelName: 'scripted', provider: 'fake'");
  writeFileSync(join(built, name), local);
  return join(built, name);
}

const promptOf = (index: number): string => JSON.stringify(provider.requests[index]?.body);
const latest = (): string => promptOf(provider.requests.length - 1);

test('section 1 of the editor guide: the loop in one file reads a file and prints the answer', async () => {
  provider.script([act('read_file(path="src/limits.ts")'), answer('At most 40.')]);
  const { stdout } = await inNode(process.execPath, [join(built, 'loop.mjs')]);
  expect(stdout).toBe('At most 40.\n');
  expect(latest()).toContain('MAX_DISCOUNT = 40');
});

test('section 1 of the editor guide: the loop retries an unreadable action and exits with the message of a failure', async () => {
  provider.script([
    { text: 'Thought: I read.\nAction: read_file(path=' },
    act('read_file(path="nowhere")'),
    answer('Nothing there.'),
  ]);
  expect((await inNode(process.execPath, [join(built, 'loop.mjs')])).stdout).toBe('Nothing there.\n');
  expect(latest()).toContain('There is no such file.');
  provider.script({ fault: 'html' });
  await expect(inNode(process.execPath, [join(built, 'loop.mjs')])).rejects.toThrow('upstream_');
});

test('sections 2 to 8 of the editor guide compile with the strictest options', async () => {
  const config = join(built, 'tsconfig.json');
  writeFileSync(config, JSON.stringify(strictly(modules)));
  const { stdout } = await inNode(process.execPath, [compiler, '-p', config]).catch((failed) => failed);
  expect(stdout).toBe('');
}, 120_000);

describe('the compiled editor guide', () => {
  beforeAll(async () => {
    // The compiler reports imports that it does not resolve, and emits anyway.
    await inNode(process.execPath, [compiler, ...emitOptions(built), ...modules]).catch(() => undefined);
    for (const module of modules.map((file) => file.replace(/ts$/, 'js')))
      writeFileSync(module, withCompiledEntries(readFileSync(module, 'utf8')));
  }, 120_000);
  beforeEach(() => {
    editor = openEditor();
  });
  let editor: TestEditor;

  test('section 2 of the editor guide: the first run with the SDK streams its thought and answer', async () => {
    provider.script([{ text: 'Thought: I have read it.\nFinal Answer: At most 40.' }]);
    const { stdout } = await inNode(process.execPath, [join(built, 'first-run.js')]);
    expect(stdout).toBe('I have read it.\n\nAt most 40.\nanswered\n');
    expect(latest()).toContain('MAX_DISCOUNT = 40');
  });

  test('section 4 of the editor guide: the prompt contains the focused file with its unsaved text and tagged files, but no secret file', async () => {
    provider.script([answer('Seen.')]);
    editor.focused = { path: 'src/limits.ts', selection: { start_line: 1, end_line: 1 } };
    editor.taggedFiles = ['README.md', '.env'];
    expect((await (await assistant(editor)).ask('What is this?')).answer).toBe('Seen.');
    for (const said of ['MAX_DISCOUNT = 40; // unsaved', '# A shop']) expect(latest()).toContain(said);
    expect(latest()).not.toContain('hunter2');
  });

  test('sections 4 and 7 of the editor guide: the editor shows which context did not fit', async () => {
    provider.script([answer('Seen.')]);
    editor.files.set('long.txt', 'a line of words\n'.repeat(5_000));
    editor.taggedFiles = ['long.txt', 'README.md'];
    const config = { llmConfig: { ...scripted, tokenLimit: 4_000, reservedOutputTokens: 500 } };
    await (await assistant(editor, config)).ask('What is in it?');
    expect(editor.shown('notice')).toMatch(/Left out: long\.txt: (truncated|dropped)/);
  });

  test('sections 5 and 6 of the editor guide: the editor shows a change side by side and makes it after approval', async () => {
    provider.script([
      act('search_code(pattern="MAX_")', 'I look.'),
      act('edit_file(path="src/limits.ts", old_string="40", new_string="50")'),
      answer('Raised.'),
    ]);
    expect(await (await assistant(editor)).ask('Raise the limit')).toMatchObject({ stopReason: 'answered' });
    expect(editor.asked).toMatchObject([
      {
        title: expect.stringContaining('edit_file('),
        text: expect.stringContaining('+export const MAX_DISCOUNT = 50;'),
        change: {
          path: 'src/limits.ts',
          before: expect.stringContaining('40'),
          after: expect.stringContaining('50'),
        },
      },
    ]);
    expect(editor.files.get('src/limits.ts')).toContain('MAX_DISCOUNT = 50; // unsaved');
    expect(editor.shown('thought')).toContain('I look.');
    expect(editor.shown('tool')).toContain('search_code(pattern="MAX_")');
    expect(editor.shown('answer')).toContain('Raised.');
  });

  test('section 6 of the editor guide: a change is not made if it is refused or the question fails, and the model is informed', async () => {
    for (const confirm of [async () => false, async () => Promise.reject(new Error('no window'))]) {
      provider.script([act('write_file(path="src/new.ts", content="x")'), answer('Then not.')]);
      editor.confirm = confirm;
      expect(await (await assistant(editor)).ask('Write it')).toMatchObject({ stopReason: 'denied' });
      expect(editor.files.has('src/new.ts')).toBe(false);
      expect(latest()).toContain('The person did not want this.');
      expect(editor.shown('tool')).toContain('Refused.');
    }
  });

  test('section 5 of the editor guide: an edit is refused if its file changed during the approval, and so is a path outside the project', async () => {
    provider.script([
      act('edit_file(path="src/limits.ts", old_string="40", new_string="50")'),
      act('read_file(path="../other/secret.txt")'),
      answer('Not done.'),
    ]);
    editor.confirm = async () => {
      editor.files.set('src/limits.ts', 'export const MAX_DISCOUNT = 41;\n');
      return true;
    };
    await (await assistant(editor)).ask('Raise the limit');
    expect(editor.files.get('src/limits.ts')).toBe('export const MAX_DISCOUNT = 41;\n');
    expect(editor.shown('tool').match(/Failed: /g)).toHaveLength(2);
  });

  test('section 7 of the editor guide: the assistant retries and shows transient failures, and shows the code of permanent ones', async () => {
    // Whether the editor shows a retry. The service makes its own retry before the SDK does.
    const isTold = () => editor.shown('notice').includes('Retrying in');
    provider.script(() => (isTold() ? answer('At last.') : { fault: 'overloaded', retryAfter: '1' }));
    const result = await (await assistant(editor)).ask('Hello');
    expect(result.answer).toBe('At last.');
    provider.script({ fault: 'html' });
    await (await assistant(editor)).ask('Hello');
    expect(editor.shown('notice')).toMatch(/\(upstream_\w+\)/);
  });

  test('section 8 of the editor guide: stop ends the model call, and the next task and another assistant continue the history', async () => {
    provider.script([act('read_file(path="README.md")'), { text: 'never', delayMs: 60_000 }]);
    const before = provider.requests.length;
    const first = await assistant(editor);
    const running = first.ask('The first task');
    await provider.request(before + 1);
    first.stop();
    expect(await running).toMatchObject({ stopReason: 'stopped' });
    provider.script([answer('As I said.'), answer('Again.')]);
    await first.ask('The second task');
    const second = await assistant(editor, {}, JSON.parse(JSON.stringify(first.saved)));
    await second.ask('The third task');
    for (const said of ['The first task', '# A shop', 'The second task', 'As I said.', 'The third task'])
      expect(latest()).toContain(said);
  });

  test('section 8 of the editor guide: a new task stops the running one', async () => {
    provider.script([{ text: 'never', delayMs: 60_000 }]);
    const before = provider.requests.length;
    const one = await assistant(editor);
    const running = one.ask('The first task');
    await provider.request(before);
    provider.script([answer('The second answer.')]);
    expect(await one.ask('The second task')).toMatchObject({ answer: 'The second answer.' });
    expect(await running).toMatchObject({ stopReason: 'stopped' });
  });

  test('section 8 of the editor guide: stop ends a task that has not begun and the task queued behind it', async () => {
    provider.script([answer('Never asked for.')]);
    const before = provider.requests.length;
    const one = await assistant(editor);
    const first = one.ask('The first task');
    const second = one.ask('The second task');
    one.stop();
    for (const running of [first, second]) expect(await running).toMatchObject({ stopReason: 'stopped' });
    expect(provider.requests).toHaveLength(before);
  });

  test('section 4 of the editor guide: a task continues without a missing tagged file, which is shown as left out', async () => {
    provider.script([answer('Seen.')]);
    editor.taggedFiles = ['gone.txt', 'README.md'];
    expect((await (await assistant(editor)).ask('What is this?')).answer).toBe('Seen.');
    expect(latest()).toContain('# A shop');
    expect(editor.shown('notice')).toContain('Left out: gone.txt');
  });

  test('section 9 of the editor guide: only the provider receives the key', async () => {
    provider.script([act('read_file(path="README.md")'), answer('Done.')]);
    const llmConfig = { modelName: 'scripted', provider: 'guarded' };
    const keyless = await (await assistant(editor, { llmConfig })).ask('Read it');
    expect(keyless.stopReason).toBe('error');
    expect(editor.shown('notice')).toContain('Set a key.');
    const one = await assistant(editor, { llmConfig, key: async () => 'sk-canary' });
    const result = await one.ask('Read it');
    expect(provider.requests.at(-1)?.headers['authorization']).toBe('Bearer sk-canary');
    const kept = JSON.stringify([one.saved, result, editor.shown('notice'), editor.shown('tool')]);
    expect(kept).not.toContain('sk-canary');
  });
});

const scripted = { modelName: 'scripted', provider: 'fake' } as const;

interface Assistant {
  readonly saved: Trajectory | undefined;
  ask(task: string): Promise<RunResult>;
  stop(): void;
}

interface Settings {
  readonly llmConfig?: RunLlmConfig;
  readonly key?: () => Promise<string | undefined>;
}

async function assistant(
  editor: TestEditor,
  settings: Settings = {},
  saved?: Trajectory,
): Promise<Assistant> {
  const module = await import(pathToFileURL(join(built, 'assistant.js')).href);
  const all = { baseUrl: service.url, llmConfig: scripted, key: async () => undefined, ...settings };
  return new module.Assistant(editor, all, saved);
}

type TestEditor = ReturnType<typeof openEditor>;

/** Opens an in-memory editor with the features that the guide needs. */
function openEditor() {
  const files = new Map([
    ['src/limits.ts', 'export const MAX_DISCOUNT = 40; // unsaved\n'],
    ['README.md', '# A shop\n'],
    ['.env', 'PASSWORD=hunter2\n'],
  ]);
  const seen: { part: string; text: string }[] = [];
  const asked: object[] = [];
  const read = async (path: string) => {
    const text = files.get(path);
    if (text === undefined) throw new Error(`There is no ${path}.`);
    return text;
  };
  return {
    files,
    asked,
    focused: undefined as object | undefined,
    taggedFiles: [] as readonly string[],
    shown: (part: string) => seen.map((each) => (each.part === part ? each.text : '')).join(''),
    focus() {
      return this.focused;
    },
    tagged() {
      return this.taggedFiles;
    },
    read,
    write: async (path: string, text: string) => void files.set(path, text),
    confirm: async (question: object): Promise<boolean> => asked.push(question) > 0,
    show: (part: string, text: string) => void seen.push({ part, text }),
    list: async (folder: string) => {
      const within = folder === '.' ? '' : `${folder}/`;
      const below = [...files.keys()]
        .filter((path) => path.startsWith(within))
        .map((path) => path.slice(within.length));
      if (below.length === 0) throw new Error(`There is no ${folder}.`);
      const entries = below.map((path) => {
        const [name = '', ...rest] = path.split('/');
        return [name, { name, type: rest.length > 0 ? ('folder' as const) : ('file' as const) }] as const;
      });
      return [...new Map(entries).values()];
    },
  };
}
