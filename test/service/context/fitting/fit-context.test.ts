import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StepRequestInput } from '../../../../src/contract/step-request.js';
import { fitContext } from '../../../../src/service/context/fitting/fit-context.js';
import { fitFocus } from '../../../../src/service/context/fitting/fit-focus.js';
import { gatherContext } from '../../../../src/service/context/gather-context.js';
import { inlineSource } from '../../../../src/service/context/sources/inline.js';
import { createTokenCounter } from '../../../../src/tokens/token-counter.js';
import { stepRequest } from '../../../support/step-request.js';
import { countWords, wordCounter } from '../../../support/word-counter.js';

type Fields = Pick<
  StepRequestInput,
  | 'explicit_context_paths'
  | 'pinned_item_ids_to_include'
  | 'vector_search_results_to_include'
  | 'implicit_context'
>;
interface Scene extends Fields {
  files?: Record<string, string>;
  pinned?: Record<string, string>;
}

async function gather({ files = {}, pinned = {}, ...fields }: Scene) {
  const source = inlineSource({
    files: Object.entries(files).map(([path, content]) => ({ path, content })),
    pinned_items: Object.entries(pinned).map(([id, content]) => ({ id, title: undefined, content })),
  });
  return gatherContext(stepRequest(fields), [source], new AbortController().signal);
}

const fitScene = async (scene: Scene, limit = 10_000) => fitContext(await gather(scene), limit, wordCounter);
const statuses = (items: readonly { id: string; status: string }[]) =>
  items.map(({ id, status }) => `${id} ${status}`);
const joined = (blocks: readonly string[]) => blocks.join('');
const isLeftOut = (block: string) => block.startsWith('<left_out');
const text = (lines: number, word = 'line') =>
  Array.from({ length: lines }, (_, index) => `${word} ${index + 1}\n`).join('');

describe('filling the context by priority (rule: priorities)', () => {
  test('everything that fits into the context is included in order, and each item reports its tokens', async () => {
    const { blocks, tokens, items, folders } = await fitScene({
      files: { 'src/a.ts': text(3), 'src/b.ts': text(2), 'c.ts': text(1) },
      pinned: { rules: 'Be brief.' },
      explicit_context_paths: ['src', 'c.ts:1-1'],
      pinned_item_ids_to_include: ['rules'],
      vector_search_results_to_include: [{ path: 'd.ts', content: 'chunk', start_line: 7 }],
    });
    expect(blocks.map((block) => block.split(' mark=')[0])).toEqual([
      '<folder path="src"',
      '<file path="src/a.ts" lines="1-3 of 3"',
      '<file path="src/b.ts" lines="1-2 of 2"',
      '<file path="c.ts" lines="1 of 1"',
      '<pinned id="rules"',
      '<excerpt path="d.ts" lines="7"',
    ]);
    expect(statuses(items)).toEqual([
      'src included',
      'src/a.ts included',
      'src/b.ts included',
      'c.ts:1-1 included',
      'rules included',
      'd.ts:7-7 included',
    ]);
    expect(items.map((item) => item.tokens)).toEqual(blocks.map(countWords));
    expect(tokens).toBe(countWords(joined(blocks)));
    expect(items[1]).toMatchObject({ original_tokens: items[1]?.tokens, lines: '1-3', reason: null });
    expect(folders).toEqual([{ path: 'src', files: 2, included: 2 }]);
  });

  test('a giant item is cut while the other items of its priority stay whole', async () => {
    const { items, tokens } = await fitScene(
      {
        files: { 'big.ts': text(5_000), 'small.ts': text(20), 'other.ts': text(30) },
        explicit_context_paths: ['big.ts', 'small.ts', 'other.ts'],
      },
      1_000,
    );
    expect(statuses(items)).toEqual(['big.ts truncated', 'small.ts included', 'other.ts included']);
    expect(items[0]?.lines).toMatch(/^1-\d+,\d+-5000$/);
    expect(items[0]?.original_tokens).toBeGreaterThan(10_000);
    expect(tokens).toBeGreaterThan(850);
  });

  test('a giant file and a folder in the same request each get a part of the context', async () => {
    const inFolder = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`src/${n}.ts`, text(60)]));
    const { items, folders } = await fitScene(
      { files: { 'big.ts': text(5_000), ...inFolder }, explicit_context_paths: ['big.ts', 'src'] },
      4_000,
    );
    const [big, ...rest] = items;
    expect(big?.status).toBe('truncated');
    expect(big?.tokens).toBeGreaterThan(1_500);
    expect(rest.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(1_500);
    expect(folders[0]?.included).toBeGreaterThan(4);
  });

  test('explicit items come before pinned items and chunks, and dropped items are listed in the context (rules: priorities, left-out-manifest)', async () => {
    const { items, blocks, tokens } = await fitScene(
      {
        files: { 'a.ts': text(5_000) },
        pinned: { rules: text(400, 'rule') },
        explicit_context_paths: ['a.ts'],
        pinned_item_ids_to_include: ['rules'],
        vector_search_results_to_include: [{ path: 'b.ts', content: text(300), start_line: 11 }],
      },
      1_000,
    );
    expect(statuses(items)).toEqual(['a.ts truncated', 'rules dropped', 'b.ts:11-310 dropped']);
    expect(blocks.at(-1)).toMatch(
      /^<left_out reason="no room" mark="\w+">\npinned rules: 3492 bytes\nb.ts: lines 11-310, 2592 bytes\n/,
    );
    expect(items[1]).toMatchObject({ tokens: 0, lines: null, original_tokens: expect.any(Number) });
    expect(tokens).toBeLessThanOrEqual(1_000);
  });

  test('the chunks with the best scores are included first', async () => {
    const chunk = (path: string, score: number) => ({ path, content: text(100, path), score, start_line: 1 });
    const { items } = await fitScene(
      { vector_search_results_to_include: [chunk('low', 0.1), chunk('high', 0.9), chunk('mid', 0.5)] },
      700,
    );
    expect(statuses(items)).toEqual(['high:1-100 included', 'mid:1-100 truncated', 'low:1-100 dropped']);
  });

  test('a long list of dropped items is cut and states the number of further items (rule: left-out-manifest)', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [`file-${index}.ts`, text(200)]),
    );
    const { blocks, items } = await fitScene({ files, explicit_context_paths: Object.keys(files) }, 2_000);
    expect(items.filter(({ status }) => status === 'dropped').length).toBeGreaterThan(250);
    expect(blocks.at(-1)).toMatch(
      /^<left_out [^>]*>\nfile-\d+.ts: lines 1-200, 1692 bytes\n.*and \d+ more\n/s,
    );
  });

  test('an item that fits its token share is included completely, even if there are too many items to count in advance', async () => {
    const giants = Array.from({ length: 9 }, (_, index) => `giant-${index}.ts`);
    const files = Object.fromEntries(['a.ts', ...giants].map((path) => [path, text(3_000, path)]));
    const scene = { files, explicit_context_paths: ['a.ts', 'a.ts:5-3000', ...giants] };
    const { items } = await fitScene(scene, 1_000);
    expect(items[0]).toMatchObject({ status: 'included', lines: '1-4' });
    expect(items[1]).toMatchObject({ status: 'truncated' });
  });

  test('an empty file is included, and a limit of 0 drops every item', async () => {
    const scene = { files: { 'empty.ts': '', 'a.ts': 'a\n' }, explicit_context_paths: ['empty.ts', 'a.ts'] };
    expect(statuses((await fitScene(scene)).items)).toEqual(['empty.ts included', 'a.ts included']);
    const none = await fitScene(scene, 0);
    expect(none).toMatchObject({ blocks: [], tokens: 0 });
    expect(statuses(none.items)).toEqual(['empty.ts dropped', 'a.ts dropped']);
  });
});

describe('lines that are requested twice (rule: no-line-twice)', () => {
  test('a file requested under two names and inside a folder is sent once', async () => {
    const { blocks, items, folders } = await fitScene({
      files: { 'src/a.ts': text(3) },
      explicit_context_paths: ['src/a.ts', './src/a.ts', 'src', 'src/'],
    });
    expect(statuses(items)).toEqual([
      'src/a.ts included',
      './src/a.ts duplicate',
      'src included',
      'src/a.ts duplicate',
      'src/ duplicate',
      'src/a.ts duplicate',
    ]);
    expect(blocks).toHaveLength(2);
    expect(folders[0]).toEqual({ path: 'src', files: 1, included: 1 });
  });

  test('if a file and ranges of its lines are requested, each line is sent once: in its range, or else in the file', async () => {
    const { blocks, items } = await fitScene({
      files: { 'a.ts': text(10) },
      explicit_context_paths: ['a.ts', 'a.ts:4-6', 'a.ts:5-8'],
    });
    expect(items.map(({ id, status, lines }) => `${id} ${status} ${lines}`)).toEqual([
      'a.ts included 1-3,9-10',
      'a.ts:4-6 included 4-6',
      'a.ts:5-8 included 7-8',
    ]);
    expect(items[0]?.reason).toBe('its other lines belong to another item');
    expect(joined(blocks).match(/line \d+/g)).toHaveLength(10);
  });

  test('chunks add only lines that the context does not contain yet', async () => {
    const content = (first: number, last: number) =>
      text(10)
        .split(/(?<=\n)/)
        .slice(first - 1, last)
        .join('');
    const chunk = (first: number, last: number) => ({
      path: 'a.ts',
      content: content(first, last),
      start_line: first,
      end_line: last,
    });
    const { items } = await fitScene({
      files: { 'a.ts': text(10) },
      explicit_context_paths: ['a.ts:1-5'],
      vector_search_results_to_include: [chunk(2, 4), chunk(4, 7), chunk(6, 9)],
    });
    expect(items.map(({ status, lines }) => `${status} ${lines}`)).toEqual([
      'included 1-5',
      'duplicate null',
      'included 6-7',
      'included 8-9',
    ]);
  });

  test('a chunk without line numbers is a duplicate if the context already contains its text', async () => {
    const { items } = await fitScene({
      files: { 'a.ts': text(10), 'b.ts': text(10) },
      explicit_context_paths: ['a.ts'],
      vector_search_results_to_include: [
        { path: 'a.ts', content: 'line 3\nline 4' },
        { path: 'a.ts', content: 'gone' },
        { path: 'a.ts', content: 'gone' },
        { path: 'b.ts', content: 'line 3\nline 4' },
      ],
    });
    expect(items.slice(1).map(({ status }) => status)).toEqual([
      'duplicate',
      'included',
      'duplicate',
      'included',
    ]);
  });

  test('a chunk without line numbers does not cover lines of a numbered chunk', async () => {
    const { items, blocks } = await fitScene({
      vector_search_results_to_include: [
        { path: 'a.ts', content: 'unnumbered\n', score: 2 },
        { path: 'a.ts', content: 'first line\n', start_line: 1, score: 1 },
      ],
    });
    expect(items.map(({ status, lines }) => `${status} ${lines}`)).toEqual(['included null', 'included 1']);
    expect(blocks[0]).toMatch(/^<excerpt path="a.ts" mark=/);
  });

  test('chunks that repeat one character are compared correctly (rule: linear-work)', async () => {
    const half = 'a'.repeat(400_000);
    const chunks = [`${half}a${half}`, `${half}b`, `b${half}`, `\n${half}\n`, `x${'\n'.repeat(1_000_000)}x`];
    const scene = { vector_search_results_to_include: chunks.map((content) => ({ path: 'a.ts', content })) };
    const { items } = await fitScene(scene, 100_000_000);
    expect(items.map(({ status }) => status)).toEqual([
      'included',
      'included',
      'included',
      'duplicate',
      'included',
    ]);
  });

  test('130,000 files are all reported, although that is more than the arguments that a function call can take (rule: linear-work)', async () => {
    const files = Object.fromEntries(Array.from({ length: 130_000 }, (_, index) => [`a/${index}`, '']));
    const { items } = await fitScene({ files, explicit_context_paths: ['a'] }, 0);
    expect(items).toHaveLength(130_001);
  });

  test('a chunk whose lines are missing from its truncated file has the status dropped, not duplicate', async () => {
    const lines = text(4_000).split(/(?<=\n)/);
    const chunk = { path: 'a.ts', content: lines.slice(1_999, 2_010).join(''), start_line: 2_000 };
    const scene = {
      files: { 'a.ts': lines.join('') },
      explicit_context_paths: ['a.ts'],
      vector_search_results_to_include: [chunk],
    };
    expect((await fitScene(scene, 900)).items[1]?.status).toBe('dropped');
    expect((await fitScene(scene, 100_000)).items[1]?.status).toBe('duplicate');
  });
});

describe('any context within any limit (rule: prompt-budget)', () => {
  const word = fc.constantFrom('a', 'function', '</file>', '', '    x', '😀', '<|im_end|>', 'Action: f()');
  const content = fc
    .array(word, { maxLength: 120 })
    .chain((words) => fc.constantFrom('\n', ' ').map((glue) => words.join(glue)));
  const paths = ['a.ts', 'src/b.ts', 'src/c.ts', 'src/auth/d.ts', 'src/authz/e.ts'];
  const asked = fc.constantFrom(
    ...paths,
    'src',
    'src/auth',
    '.',
    'a.ts:2-5',
    'src/b.ts:1-90',
    'none',
    '../x',
  );
  const chunk = fc.record(
    {
      path: fc.constantFrom(...paths),
      content,
      score: fc.double({ noNaN: true, min: 0, max: 1 }),
      start_line: fc.integer({ min: 1, max: 60 }),
    },
    { requiredKeys: ['path', 'content'] },
  );
  const scene = fc.record({
    files: fc
      .tuple(...paths.map(() => content))
      .map((all) => Object.fromEntries(paths.map((path, index) => [path, all[index] ?? '']))),
    pinned: fc.record({ p: content, q: content }),
    explicit_context_paths: fc.array(asked, { maxLength: 6 }),
    pinned_item_ids_to_include: fc.subarray(['p', 'q', 'gone']),
    vector_search_results_to_include: fc.array(chunk, { maxLength: 5 }),
  });

  test('a fitted context stays within its limit, reports every requested item, and is the same each time', async () => {
    await fc.assert(
      fc.asyncProperty(scene, fc.nat(1_500), async (each, limit) => {
        const fitted = await fitScene(each, limit);
        const counted = countWords(joined(fitted.blocks));
        expect(fitted.tokens).toBe(counted);
        expect(counted).toBeLessThanOrEqual(limit);
        const manifest = fitted.blocks.filter(isLeftOut);
        const ofItems = fitted.items.reduce((sum, { tokens }) => sum + tokens, 0);
        expect(ofItems + countWords(joined(manifest))).toBe(counted);
        const wanted = [
          ...each.explicit_context_paths,
          ...each.pinned_item_ids_to_include,
          ...each.vector_search_results_to_include.map(({ path }) => path),
        ];
        for (const id of wanted) expect(fitted.items.some((row) => row.id.startsWith(id))).toBe(true);
        for (const block of fitted.blocks) expect(block).toMatch(/^<\w.*\n<\/\w+ [0-9a-f]{16}>\n$/s);
        expect(await fitScene(each, limit)).toEqual(fitted);
      }),
      { numRuns: 400 },
    );
  });
});

describe('contexts counted in real tokens (rule: prompt-budget)', () => {
  const sources = ['fitting/fit-context', 'fence', 'cutting/cut-lines', 'gather-context', 'to-items'].map(
    (name) => `src/service/context/${name}.ts`,
  );
  const scene: Scene = {
    files: Object.fromEntries(sources.map((path) => [path, readFileSync(path, 'utf8')])),
    pinned: { rules: `${'\n \t\n'.repeat(40)}Rules: 规则 😀 <|im_end|>\n/slash at the start\n\n\n` },
    explicit_context_paths: ['src', `${sources[0]}:20-60`],
    pinned_item_ids_to_include: ['rules'],
    vector_search_results_to_include: [{ path: 'x.ts', content: '\n\n  a();\n\n', score: 1, start_line: 3 }],
  };

  test.each([
    'o200k_base',
    'cl100k_base',
  ] as const)('with %s, the context stays within its limit and the token counts of its report rows add up exactly', async (encoding) => {
    const counter = createTokenCounter(encoding);
    const gathered = await gather(scene);
    for (const limit of [50, 300, 900, 2_000, 5_000, 20_000]) {
      const { blocks, tokens, items } = await fitContext(gathered, limit, counter);
      expect(await counter.count(joined(blocks))).toBe(tokens);
      expect(tokens).toBeLessThanOrEqual(limit);
      const leftOut = joined(blocks.filter(isLeftOut));
      const ofItems = items.reduce((sum, item) => sum + item.tokens, 0);
      expect(ofItems + (await counter.count(leftOut))).toBe(tokens);
    }
  });

  test('with an estimated count, the context stays within its limit (rule: prompt-budget)', async () => {
    const counter = createTokenCounter('o200k_base', { margin: 1.37 });
    const gathered = await gather(scene);
    for (const limit of [300, 900, 5_000]) {
      const { blocks } = await fitContext(gathered, limit, counter);
      expect(await counter.count(joined(blocks))).toBeLessThanOrEqual(limit);
    }
  });
});

describe('fitting the focus file (rule: tail)', () => {
  const files = { 'a.ts': text(200), 'b.ts': text(5) };
  const focused = (path: string, selection?: [number, number]): Scene => ({
    files,
    implicit_context: {
      last_focused_file_path: path,
      ...(selection && { selection: { start_line: selection[0], end_line: selection[1] } }),
    },
  });
  async function focus(scene: Scene, limit: number, contextLimit = 10_000) {
    const fitted = await fitScene(scene, contextLimit);
    if (!fitted.focus) throw new Error('no focus');
    return fitFocus(fitted.focus, { tokens: limit, counter: wordCounter });
  }

  test('the focus file is included completely if it fits, and otherwise cut around the selection', async () => {
    const whole = await focus(focused('b.ts', [2, 3]), 200);
    expect(whole.block).toMatch(/^<focus path="b.ts" selected="2-3" lines="1-5 of 5" mark=/);
    expect(whole.item).toMatchObject({ kind: 'implicit', id: 'b.ts', status: 'included', lines: '1-5' });
    const part = await focus(focused('a.ts', [100, 102]), 200);
    expect(part.block).toContain('\nline 101\n');
    expect(part.item).toMatchObject({
      status: 'truncated',
      lines: expect.stringMatching(/^[89]\d-1[01]\d$/),
    });
    expect(part.item.reason).toBe('cut to the lines around the focus');
    expect(part.item.tokens).toBe(countWords(part.block ?? ''));
    expect(part.item.tokens).toBeLessThanOrEqual(200);
  });

  test('a focus file that the context contains is replaced by a note that it is open', async () => {
    const scene = { ...focused('a.ts', [3, 4]), explicit_context_paths: ['a.ts'] };
    const { block, item } = await focus(scene, 200);
    expect(block).toMatch(
      /^<focus path="a.ts" selected="3-4" mark=.*\n\[open in the editor; shown in the context above\]\n/,
    );
    expect(item).toMatchObject({ status: 'duplicate' });
  });

  test('the focus file includes selected lines that were cut from the context', async () => {
    const scene = { ...focused('a.ts', [99, 101]), explicit_context_paths: ['a.ts'] };
    const { block, item } = await focus(scene, 200, 300);
    expect(block).toContain('line 99\nline 100\nline 101\n');
    expect(item).toMatchObject({ status: 'truncated', lines: '99-101' });
  });

  test('the focus file includes the lines that are missing from an excerpt of it in the context', async () => {
    const chunk = { path: 'a.ts', content: 'line 9\nline 10\n', start_line: 9 };
    const { block, item } = await focus(
      { ...focused('a.ts'), vector_search_results_to_include: [chunk] },
      1_000,
    );
    expect(block).toContain('\nline 11\n');
    expect(block).not.toContain('\nline 10\n');
    expect(item).toMatchObject({
      status: 'truncated',
      lines: '11-200',
      reason: 'only lines that the context does not show',
    });
  });

  test('a focus file is dropped if none of its lines fits', async () => {
    expect(await focus(focused('a.ts', [100, 102]), 5)).toMatchObject({
      block: undefined,
      item: { status: 'dropped', tokens: 0 },
    });
  });
});
