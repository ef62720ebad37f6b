import { readFileSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { openWorkshop } from '../support/workshop.js';

/** Writes a file, makes one change, and returns the file's text. */
async function edited(before: string, old_string: string, new_string: string): Promise<string> {
  const shop = await openWorkshop({ f: before });
  await shop.call('edit_file', { path: 'f', old_string, new_string });
  return readFileSync(join(shop.folder, 'f'), 'utf8');
}

async function rewritten(before: string, content: string): Promise<string> {
  const shop = await openWorkshop({ f: before });
  await shop.call('write_file', { path: 'f', content });
  return readFileSync(join(shop.folder, 'f'), 'utf8');
}

const shown = (text: string) => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');

describe('line breaks and byte order marks in changes (rule: line-ends)', () => {
  test.each([
    ['a line among LF lines of a mixed file', 'a\nb\r\nc\nd\n', 'c\nd', 'c\nD', 'a\nb\r\nc\nD\n'],
    ['a line among CRLF lines of a mixed file', 'a\nb\r\nc\r\nd\n', 'c', 'C\nC2', 'a\nb\r\nC\r\nC2\r\nd\n'],
    ['a new line after an LF line', 'a\nb\r\nc\n', 'a', 'a\na2', 'a\na2\nb\r\nc\n'],
    [
      'lines with different breaks, one of them changed',
      'a\r\nb\nc\r\n',
      'a\nb\nc',
      'a\nB\nc',
      'a\r\nB\nc\r\n',
    ],
    [
      'a new line between lines with different breaks',
      'a\r\nb\nc\r\nd\n',
      'a\nb\nc',
      'a\nb\nx\nc',
      'a\r\nb\nx\nc\r\nd\n',
    ],
    ['a removed line', 'a\r\nb\nc\r\nd\n', 'a\nb\nc', 'a\nc', 'a\r\nc\r\nd\n'],
    ['a last line without a break', 'a\nb\r\nc', 'c', 'c\nd', 'a\nb\r\nc\r\nd'],
    ['two lines that become one', 'a\r\nb\nc\n', 'a\nb', 'ab', 'ab\nc\n'],
    ['CRLF written by the model in an LF file', 'a\nb\nc\n', 'a\r\nb', 'A\r\nb', 'A\nb\nc\n'],
    ['CRLF written by the model in a CRLF file', 'a\r\nb\r\n', 'a\r\nb', 'A\r\nx\r\nb', 'A\r\nx\r\nb\r\n'],
    ['the first line after a byte order mark', '\uFEFFa\r\nb\r\n', 'a', 'A', '\uFEFFA\r\nb\r\n'],
    ['a byte order mark that the model repeats', '\uFEFFa\nb\n', '\uFEFFa', '\uFEFFA', '\uFEFFA\nb\n'],
    ['a carriage return inside a line', 'a\rb\r\nc\n', 'c', 'C', 'a\rb\r\nC\n'],
    ['a carriage return at the end of a line', 'x\r\r\ny\r\n', 'y', 'Y', 'x\r\r\nY\r\n'],
    ['an empty first line', '\nb\r\n', '\nb', '\nB', '\nB\r\n'],
  ])('edit_file keeps the line breaks of a file: %s', async (_, before, old, replacement, after) => {
    expect(await edited(before, old, replacement)).toBe(after);
  });

  test.each([
    ['CRLF', 'a\r\nb\r\n', 'a\nB\n', 'a\r\nB\r\n'],
    ['LF although the model writes CRLF', 'a\nb\n', 'a\r\nB\r\n', 'a\nB\n'],
    ['a byte order mark', '\uFEFFa\nb\n', 'a\nB\n', '\uFEFFa\nB\n'],
    ['a byte order mark that the model repeats', '\uFEFFa\n', '\uFEFFb\n', '\uFEFFb\n'],
    ['mixed breaks, line by line', 'a\nb\r\nc\nd\r\n', 'a\nB\nc\nx\nd\n', 'a\nB\r\nc\nx\nd\r\n'],
    ['a last line without a break', 'a\r\nb', 'a\nb\nc', 'a\r\nb\r\nc'],
    ['the lack of any break', 'a', 'b\nc\n', 'b\nc\n'],
    ['nothing of an empty file', '', 'b\r\nc\n', 'b\r\nc\n'],
  ])('write_file keeps the line breaks of the file that it replaces: %s', async (_, before, content, after) => {
    expect(await rewritten(before, content)).toBe(after);
  });

  test('write_file writes a new file exactly as given', async () => {
    const shop = await openWorkshop();
    await shop.call('write_file', { path: 'new', content: '\uFEFFa\r\nb\n' });
    expect(readFileSync(join(shop.folder, 'new'), 'utf8')).toBe('\uFEFFa\r\nb\n');
  });

  test('an edit that changes nothing but line breaks is an error', async () => {
    await expect(edited('a\r\nb\r\n', 'a\r\nb', 'a\nb')).rejects.toThrow('are the same, line breaks aside');
  });

  const line = fc.constantFrom('a', 'b', 'c', '', 'x y', 'a\rb');
  const mixed = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { minLength: 1, maxLength: 8 })
    .map((lines) => lines.map(([text, end]) => text + end).join(''));
  const file = fc.tuple(fc.constantFrom('', '\uFEFF'), mixed, line).map((parts) => parts.join(''));

  test('edit_file changes no byte before or after the replaced text', async () => {
    const shop = await openWorkshop();
    const replacement = fc.array(line, { maxLength: 3 }).map((lines) => lines.join('\n'));
    await fc.assert(
      fc.asyncProperty(file, file, replacement, async (before, after, text) => {
        const [head, tail] = [before, `${after.replace(/^\uFEFF/, '')}`];
        shop.write('f', `${head}<here>${tail}`);
        await shop.call('edit_file', { path: 'f', old_string: '<here>', new_string: text });
        const result = readFileSync(join(shop.folder, 'f'), 'utf8');
        expect(result.startsWith(head)).toBe(true);
        expect(result.endsWith(tail)).toBe(true);
        expect(shown(result)).toBe(shown(head) + text + shown(tail));
      }),
      { numRuns: 100 },
    );
  });

  test('write_file with the text that read_file shows leaves every byte as it was', async () => {
    const shop = await openWorkshop();
    await fc.assert(
      fc.asyncProperty(file, async (before) => {
        shop.write('f', before);
        await shop.call('write_file', { path: 'f', content: shown(before) });
        expect(readFileSync(join(shop.folder, 'f'), 'utf8')).toBe(before);
      }),
      { numRuns: 100 },
    );
  });
});

describe('closest lines, which edit_file shows if it does not find the old text (rule: tool-pack)', () => {
  const code = 'function add(a, b) {\n\treturn a + b;\n}\n\nfunction sub(a, b) {\n\treturn a - b;\n}\n';
  const miss = (text: string, old_string: string) =>
    edited(text, old_string, 'x').then(
      () => '',
      (error: Error) => error.message,
    );

  test('if the old text is not found, edit_file shows the closest lines and makes differing blanks and tabs visible', async () => {
    expect(await miss(code, 'function sub(a, b) {\n    return a - b;\n}')).toBe(
      [
        'old_string does not occur in "f". The closest lines are 5-7. What differs:',
        'line 6 (only blanks differ):',
        '  old_string: "    return a - b;"',
        '  the file:   "\\treturn a - b;"',
      ].join('\n'),
    );
  });

  test.each([
    [
      'a changed word',
      'return a + c;',
      'line 2:\n  old_string: "return a + c;"\n  the file:   "\\treturn a + b;"',
    ],
    ['the numbers of read_file', '2: \treturn a + b;', 'the file:   "\\treturn a + b;"'],
    ['a blank at the end of a line', 'function add(a, b) { ', 'line 1 (only blanks differ)'],
    ['another letter case', 'Function Add(A, B) {', 'the file:   "function add(a, b) {"'],
  ])('if the old text is not found, edit_file names the line that differs: %s', async (_, old, difference) => {
    expect(await miss(code, old)).toContain(difference);
  });

  test.each([
    ['a typographic quote', "say 'hello'", 'say \u2019hello\u2019', '"\u2019" (U+2019)'],
    ['a no-break space', 'total = 1', 'total\u00a0= 1', '(U+00A0)'],
    ['a decomposed letter', 'let gr\u00f6\u00dfe = 1;', 'let gro\u0308\u00dfe = 1;', '(U+00F6)'],
    ['a zero-width space', 'let total = 1;', 'let to\u200btal = 1;', '(U+200B)'],
  ])('if the old text differs only by a look-alike character, edit_file shows its code: %s', async (_, text, old, code) => {
    expect(await miss(text, old)).toContain(code);
  });

  test('if the closest line is long, edit_file quotes only the part around the first difference', async () => {
    const long = Array.from({ length: 2_000 }, (_, index) => `f(${index});`).join('');
    const message = await miss(`${long}\n`, `${long.slice(0, 90)}g(${long.slice(92, 180)}`);
    expect(message).toContain('The closest line is 1');
    expect(message.length).toBeLessThan(600);
  });

  test('if the old text resembles nothing in the file, edit_file shows no closest lines', async () => {
    expect(await miss(code, 'completely different words')).toBe(
      'old_string does not occur in "f". Read the file again.',
    );
  });

  test('edit_file finds the closest lines of a large file in bounded time', async () => {
    const large = Array.from({ length: 200_000 }, (_, index) => `const value${index} = compute(${index});`);
    const began = performance.now();
    await miss(large.join('\n'), large.slice(100, 2_000).join('\n\n'));
    expect(performance.now() - began).toBeLessThan(20_000);
  });
});

describe('changes through links (rule: approval)', () => {
  const context = { signal: new AbortController().signal, callId: 'c', earlierCallIds: [] };

  test.each([
    'write_file',
    'edit_file',
  ])('the preview of %s names the real file behind a link', async (name) => {
    const shop = await openWorkshop({ '.vscode/tasks.json': 'old\n', 'docs/a.md': '' });
    symlinkSync('../.vscode/tasks.json', join(shop.folder, 'docs/notes.md'));
    const args = { path: 'docs/notes.md', content: 'new\n', old_string: 'old', new_string: 'new' };
    const preview = await shop.tool(name).preview?.(args, context);
    expect(preview).toMatch(/^docs\/notes\.md → \.vscode\/tasks\.json\n--- a\/\.vscode\/tasks\.json\n/);
  });

  test('the preview of a change through a link to a folder, a link to a link and `..` names the real file', async () => {
    const shop = await openWorkshop({ 'src/real/a.txt': 'old\n' });
    symlinkSync('real', join(shop.folder, 'src/link'));
    symlinkSync('src/link', join(shop.folder, 'short'));
    for (const path of ['short/a.txt', 'src/link/a.txt', 'src/link/../real/a.txt', 'short/new.txt']) {
      const preview = await shop.tool('write_file').preview?.({ path, content: 'new\n' }, context);
      expect(preview).toContain(`${path} → src/real/`);
    }
    const plain = await shop
      .tool('write_file')
      .preview?.({ path: './src/real/a.txt', content: 'new\n' }, context);
    expect(plain).toMatch(/^--- a\/src\/real\/a\.txt\n/);
  });

  test('a name with a line break stays on one line of the preview', async () => {
    const shop = await openWorkshop({ 'real.txt': 'old\n' });
    symlinkSync('real.txt', join(shop.folder, 'a\n--- a'));
    const preview = await shop.tool('write_file').preview?.({ path: 'a\n--- a', content: 'new\n' }, context);
    expect(preview?.split('\n')[0]).toBe('"a\\n--- a" → real.txt');
  });

  test('an approved change through a link is not made if the link has since been changed to another file', async () => {
    const shop = await openWorkshop({ 'a.txt': 'same\n', '.vscode/tasks.json': 'same\n' });
    const args = { path: 'link', content: 'new\n' };
    symlinkSync('a.txt', join(shop.folder, 'link'));
    await shop.tool('write_file').preview?.(args, context);
    symlinkSync('.vscode/tasks.json', join(shop.folder, 'other'));
    renameSync(join(shop.folder, 'other'), join(shop.folder, 'link'));
    await expect((async () => shop.tool('write_file').execute(args, context))()).rejects.toThrow(
      'was changed in the meantime',
    );
    expect(readFileSync(join(shop.folder, '.vscode/tasks.json'), 'utf8')).toBe('same\n');
  });
});
