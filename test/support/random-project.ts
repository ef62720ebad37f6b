import fc from 'fast-check';
import type { Tool, ToolArguments } from '../../src/sdk/actions/define-tool.js';

const folderName = fc.constantFrom(
  'src',
  'a',
  'ä ö',
  'node_modules',
  '.git',
  '.stepwise',
  'runs',
  'dist',
  '.github',
  '%2e',
);
const fileName = fc.constantFrom(
  'a.ts',
  'b.TS',
  'README.md',
  '.gitignore',
  '.gitignore',
  '.env',
  'prod.env',
  'id_rsa',
  '名前.txt',
  "it's [1].txt",
  'src',
  '-',
  'x.log',
  '.a',
  'e\u0301.txt',
);
const path = fc
  .tuple(fc.array(folderName, { maxLength: 3 }), fileName)
  .map(([folders, name]) => [...folders, name].join('/'));

const line = fc.constantFrom(
  'const price = 42;',
  '  price(1)',
  'class Cart {',
  '*.log',
  '/dist',
  '!keep',
  '**/a.ts',
  'src/',
  '[a-b].*',
  '#x',
  '',
  'Zürich',
  '}',
);
const text = fc
  .tuple(
    fc.array(line, { maxLength: 8 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\uFEFF'),
    fc.boolean(),
  )
  .map(([lines, end, mark, last]) => mark + lines.join(end) + (last ? end : ''));
const content = fc.oneof(
  { weight: 8, arbitrary: text.map((each) => Buffer.from(each)) },
  { weight: 1, arbitrary: text.map((each) => Buffer.from(`${each}\u00fc`, 'latin1')) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((each) => Buffer.from(each)) },
);

/** Files by path, including every kind of file that tools treat in a special way. */
export const project = fc
  .uniqueArray(fc.tuple(path, content), { selector: ([name]) => name, maxLength: 14 })
  .map(withoutFilesInFiles);

/** Paths as a model may write them. Most of them exist. */
const asked = fc.oneof(
  { weight: 4, arbitrary: path },
  fc.array(folderName, { maxLength: 3 }).map((parts) => parts.join('/')),
  path.map((each) => `./${each}`),
  path.map((each) => `a/../${each}/`),
  path.map((each) => `../${each}`),
  path.map((each) => `/${each}`),
  path.map((each) => `${each}/below.txt`),
  fc.constantFrom('.', '', '..', 'a/../..', 'a\\b', 'a\0b', '....', 'a//./b.txt'),
);
const range = fc.option(fc.integer({ min: -1, max: 10 }), { nil: undefined });
/** Calls of the file tools, by name and arguments. */
export const call = fc.oneof(
  fc.record({
    name: fc.constant('read_file'),
    args: fc.record({ path: asked, start_line: range, end_line: range }),
  }),
  fc.record({
    name: fc.constant('list_files'),
    args: fc.record({ path: asked, pattern: fc.constantFrom('', '*.ts', 'src/**', '{a,b}*', '[', '!x') }),
  }),
  fc.record({ name: fc.constant('get_file_tree'), args: fc.record({ max_depth: range }) }),
  fc.record({
    name: fc.constant('search_code'),
    args: fc.record({
      path: asked,
      pattern: fc.constantFrom('price', 'Cart', '^$', '(', 'z.rich', '\uFFFD', ''),
    }),
  }),
  fc.record({
    name: fc.constant('find_definition'),
    args: fc.record({ symbol: fc.constantFrom('price', 'Cart', 'a b') }),
  }),
  fc.record({ name: fc.constant('write_file'), args: fc.record({ path: asked, content: text }) }),
  fc.record({
    name: fc.constant('edit_file'),
    args: fc.record({ path: asked, old_string: line, new_string: line }),
  }),
);

/**
 * Calls a tool. Returns the preview for the person and the result for the model, or the reason why the call
 * failed.
 */
export async function outcomeOf(tools: readonly Tool[], name: string, args: ToolArguments): Promise<unknown> {
  const tool = tools.find((each) => each.name === name);
  const context = { signal: new AbortController().signal, callId: 'call_1', earlierCallIds: [] };
  const told = async (what: () => unknown) =>
    Promise.resolve()
      .then(what)
      .catch(({ name: kind, message }: Error) => ({ kind, message }));
  return [await told(() => tool?.preview?.(args, context)), await told(() => tool?.execute(args, context))];
}

/** Removes files whose path would be inside another file. */
function withoutFilesInFiles(files: [string, Buffer][]): [string, Buffer][] {
  const names = files.map(([name]) => name);
  return files.filter(([name]) => !names.some((other) => other.startsWith(`${name}/`)));
}
