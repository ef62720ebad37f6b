import { describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { gatherContext } from '../../../src/service/context/gather-context.js';
import type { ContextSource } from '../../../src/service/context/sources/context-source.js';
import { inlineSource } from '../../../src/service/context/sources/inline.js';
import { stepRequest } from '../../support/step-request.js';

const signal = new AbortController().signal;
const files = (contents: Record<string, string>): ContextSource =>
  inlineSource({
    files: Object.entries(contents).map(([path, content]) => ({ path, content })),
    pinned_items: undefined,
  });
async function gather(fields: Partial<StepRequestInput>, ...sources: ContextSource[]) {
  const gathered = await gatherContext(stepRequest(fields), sources, signal);
  return { ...gathered, items: gathered.groups.flatMap(({ items }) => items) };
}

const project = files({
  'src/a.ts': 'one\ntwo\nthree\n',
  'src/auth/login.ts': 'login\n',
  'src/authz/role.ts': 'role\n',
  'src/odd:2-3': 'odd\n',
  'src/odd': 'x\ny\nz\n',
  Dockerfile: 'FROM node\n',
});

describe('explicit_context_paths (rule: context-is-no-error)', () => {
  test('requested files and folders are gathered in the order of the request', async () => {
    const { items, folders, missing } = await gather(
      { explicit_context_paths: ['src/auth', 'Dockerfile', 'src/a.ts'] },
      project,
    );
    expect(items.map(({ tag, id }) => `${tag} ${id}`)).toEqual([
      'folder src/auth',
      'file src/auth/login.ts',
      'file Dockerfile',
      'file src/a.ts',
    ]);
    expect(folders).toEqual([{ path: 'src/auth', origins: ['file:src/auth/login.ts'] }]);
    expect(missing).toEqual([]);
  });

  test.each([
    ['src/a.ts:2-3', 'two\nthree\n', 2],
    ['src/a.ts:2', 'two\n', 2],
    ['src/a.ts:3-2', 'two\nthree\n', 2],
    ['src/a.ts:0-1', 'one\n', 1],
    ['src/a.ts:2-999', 'two\nthree\n', 2],
    ['src/odd:2-3', 'odd\n', 1],
  ])('the path %s reads lines of a file, unless a file has exactly that name', async (path, text, firstLine) => {
    const { items } = await gather({ explicit_context_paths: [path] }, project);
    expect(items).toMatchObject([{ id: path, text, firstLine }]);
  });

  test.each([
    'nope.ts',
    'src/a.ts:9-12',
    'src:1-2',
    '../a.ts',
    '/etc/passwd',
    'src/a.ts:',
  ])('the path %s is reported as unavailable, and other paths are still read', async (path) => {
    const { items, missing } = await gather({ explicit_context_paths: [path, 'src/a.ts'] }, project);
    expect(items).toHaveLength(1);
    expect(missing).toMatchObject([{ kind: 'explicit', id: path, status: 'unavailable', tokens: 0 }]);
  });
});

describe('context sources are queried in their order (rule: source-order)', () => {
  test('the first source that has a path supplies its content', async () => {
    const { items } = await gather(
      { explicit_context_paths: ['src/a.ts', 'b.ts'] },
      files({ 'src/a.ts': 'newer\n' }),
      files({ 'src/a.ts': 'older\n', 'b.ts': 'b\n' }),
    );
    expect(items.map(({ text }) => text)).toEqual(['newer\n', 'b\n']);
  });

  test('a source that failed is not queried again, the other sources are, and the failure is reported', async () => {
    let asked = 0;
    const broken: ContextSource = {
      read: async () => {
        asked += 1;
        throw new Error('no answer');
      },
      readPinned: async () => undefined,
    };
    const paths = Array.from({ length: 20 }, (_, index) => `none-${index}.ts`);
    const { items, missing } = await gather(
      { explicit_context_paths: ['src/a.ts', ...paths] },
      broken,
      project,
    );
    expect(items).toHaveLength(1);
    expect(missing).toHaveLength(20);
    expect(missing[0]).toMatchObject({ status: 'unavailable', reason: 'a context source is out of order' });
    expect(asked).toBeLessThanOrEqual(8); // the first batch of concurrent reads
  });

  test('each path is read once per step', async () => {
    const reads: string[] = [];
    const counting: ContextSource = {
      read(path, ...rest) {
        reads.push(path);
        return project.read(path, ...rest);
      },
      readPinned: project.readPinned,
    };
    await gather(
      {
        explicit_context_paths: ['src/a.ts', 'src/a.ts'],
        implicit_context: { last_focused_file_path: 'src/a.ts' },
      },
      counting,
    );
    expect(reads).toEqual(['src/a.ts']);
  });

  test('gathering rejects with the reason of the abort signal', async () => {
    const controller = new AbortController();
    const reason = new Error('left');
    const slow: ContextSource = {
      read: async (_, stop) => {
        controller.abort(reason);
        stop.throwIfAborted();
        return undefined;
      },
      readPinned: async () => undefined,
    };
    const request = stepRequest({ explicit_context_paths: ['a', 'b'] });
    await expect(gatherContext(request, [slow, project], controller.signal)).rejects.toBe(reason);
  });

  test('a folder requested under 400 spellings of its path is gathered as one folder, and the number of its context items is bounded (rule: linear-work)', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`a/${index}.ts`, 'x']));
    const spellings = Array.from({ length: 400 }, (_, index) => `a${'/'.repeat(index)}`);
    const { groups, folders } = await gather({ explicit_context_paths: spellings }, files(many));
    expect(folders).toHaveLength(1);
    expect(groups.flatMap(({ items }) => items).length).toBeLessThan(20_000);
  });

  test('each file in nested requested folders is included once, and the number of folder listings above the limits is small (rules: no-line-twice, linear-work)', async () => {
    const deep = `a${'/b'.repeat(40)}`;
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`${deep}/${index}`, 'x']));
    const nested = Array.from({ length: 40 }, (_, depth) => `a${'/b'.repeat(depth)}`);
    const { items, folders, missing } = await gather({ explicit_context_paths: nested }, files(many));
    expect(items.filter(({ tag }) => tag === 'file')).toHaveLength(10_000);
    expect(items.filter(({ tag }) => tag === 'folder').map(({ id }) => id)).toEqual(nested.slice(0, 2));
    expect(missing.map(({ id, status }) => `${id} ${status}`)).toEqual(
      nested.slice(2).map((id) => `${id} dropped`),
    );
    expect(folders.map(({ origins }) => origins.length)).toEqual(nested.map(() => 10_000));
  });

  test('paths after the first 16 MiB are not read but reported as dropped', async () => {
    const large = files({ 'large.txt': 'x'.repeat(17_000_000), 'small.txt': 'y' });
    const paths = ['large.txt', ...Array.from({ length: 8 }, () => 'small.txt')];
    const { missing } = await gather({ explicit_context_paths: paths }, large);
    expect(missing).toMatchObject([
      { id: 'small.txt', status: 'dropped', reason: expect.stringContaining('not read') },
    ]);
  });
});

describe('how pinned items, chunks and the focus file are gathered (rule: context-is-no-error)', () => {
  test('pinned items are found by id, and unknown ids are reported as unavailable', async () => {
    const source = inlineSource({
      files: undefined,
      pinned_items: [{ id: 'any id/at all', title: 'Rules', content: 'Be brief.' }],
    });
    const { items, missing } = await gather(
      { pinned_item_ids_to_include: ['any id/at all', 'gone'] },
      source,
    );
    expect(items).toMatchObject([{ kind: 'pinned', id: 'any id/at all', attributes: { title: 'Rules' } }]);
    expect(missing).toMatchObject([{ kind: 'pinned', id: 'gone', status: 'unavailable' }]);
  });

  test('vector results are sorted by score, equal scores in request order, unscored ones last (rule: priorities)', async () => {
    const chunk = (path: string, score?: number) => ({
      path,
      content: path,
      ...(score !== undefined && { score }),
    });
    const { items } = await gather({
      vector_search_results_to_include: [chunk('none'), chunk('low', 0.1), chunk('b', 0.9), chunk('a', 0.9)],
    });
    expect(items.map(({ id }) => id)).toEqual(['b', 'a', 'low', 'none']);
  });

  test('the last line of a chunk is computed from its content, not taken from the end line in the request', async () => {
    const { items } = await gather({
      vector_search_results_to_include: [{ path: './a.ts', content: 'x\ny\n', start_line: 5, end_line: 90 }],
    });
    expect(items).toMatchObject([{ id: './a.ts:5-6', origin: 'file:a.ts', firstLine: 5 }]);
  });

  test('the focus file is not among the items, and its selection is limited to the lines of the file', async () => {
    const focus = (path: string, start_line: number, end_line: number) =>
      gather(
        { implicit_context: { last_focused_file_path: path, selection: { start_line, end_line } } },
        project,
      );
    const { items, focus: found } = await focus('src/a.ts', 2, 99);
    expect(items).toEqual([]);
    expect(found).toMatchObject({
      item: { kind: 'implicit', id: 'src/a.ts' },
      selection: { first: 2, last: 3 },
    });
    expect((await focus('src/a.ts', 50, 60)).focus?.selection).toBeUndefined();
    expect((await focus('gone.ts', 1, 2)).missing).toMatchObject([
      { kind: 'implicit', status: 'unavailable' },
    ]);
    expect((await focus('src/auth', 1, 2)).missing).toMatchObject([
      { kind: 'implicit', reason: 'not a file' },
    ]);
  });
});
