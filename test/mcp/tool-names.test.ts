import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { offeredNames } from '../../src/mcp/tool-names.js';

test('offeredNames joins the names of server and tool with two underscores (rule: mcp-names)', () => {
  expect(offeredNames('files', ['read_file', 'list-all'])).toEqual(['files__read_file', 'files__list-all']);
});

test('offeredNames appends a hash to names that are invalid or shared by two tools (rule: mcp-names)', () => {
  const names = offeredNames('my server', ['a.b', 'a b', 'ü'.repeat(70)]);
  expect(names[0]).toMatch(/^my_server__a_b_[0-9a-f]{6}$/);
  expect(names[1]).toMatch(/^my_server__a_b_[0-9a-f]{6}$/);
  expect(names[2]).toMatch(/^my_server___+_[0-9a-f]{6}$/);
  expect(new Set(names).size).toBe(3);
});

test('offeredNames gives tools of different servers different names (rule: mcp-names)', () => {
  const part = fc.stringMatching(/^[ab_.]{1,6}$/);
  fc.assert(
    fc.property(part, part, part, part, (server, tool, otherServer, otherTool) => {
      fc.pre(server !== otherServer);
      expect(offeredNames(server, [tool])).not.toEqual(offeredNames(otherServer, [otherTool]));
    }),
  );
});

test('offeredNames returns distinct names even if one tool is named like the hashed name of another (rule: mcp-names)', () => {
  const [taken = ''] = offeredNames('a.b', ['x']);
  const tool = taken.slice('a_b__'.length);
  expect(offeredNames('a_b', [tool])).not.toEqual([taken]);
});

test('offeredNames returns valid, distinct names for any input, independent of the order of the tools (rule: mcp-names)', () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
    fc.constantFrom('a.b', 'a b', 'a_b', 'a/b', 'x'.repeat(64), 'x'.repeat(65)),
  );
  fc.assert(
    fc.property(name, fc.uniqueArray(name, { maxLength: 20 }), (server, tools) => {
      const names = offeredNames(server, tools);
      for (const each of names) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(new Set(names).size).toBe(tools.length);
      expect(offeredNames(server, tools.toReversed()).toReversed()).toEqual(names);
    }),
  );
});
