import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeCall, fenced } from '../../../src/cli/acp/updates/tool-call-content.js';

const titleOf = (toolName: string, toolArgs: Readonly<Record<string, unknown>>): string =>
  describeCall({ id: '1', toolName, toolArgs }, '/x').title;

test('the title of an MCP call in an editor has the name of the tool and its arguments', () => {
  expect(titleOf('github__close_issue', { number: 7, reason: 'not planned' })).toBe(
    'github__close_issue(number=7, reason="not planned")',
  );
  expect(titleOf('github__list', {})).toBe('github__list()');
});

test('a search for tools has the icon of a search in an editor, and a title with its query (rule: acp)', () => {
  const call = { id: '1', toolName: 'find_tools', toolArgs: { query: 'report a bug' } };
  expect(describeCall(call, '/x')).toMatchObject({ kind: 'search', title: 'Finding tools: report a bug' });
});

test('the title of a command in an editor has all of its lines', () => {
  expect(titleOf('run_command', { command: 'npm test\nrm -rf build' })).toBe(
    'Running npm test ⏎ rm -rf build',
  );
});

test('the title of a call in an editor begins and ends like the call, however long it is', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (middle) => {
      const command = `begin ${middle} end`;
      for (const title of [titleOf('run_command', { command }), titleOf('raw__run', { command })]) {
        expect(title).toContain('begin');
        expect(title).toMatch(/end("\))?$/);
        expect([...title].length).toBeLessThanOrEqual(203);
        expect(title).not.toContain('\n');
      }
    }),
  );
});

test('a code fence is longer than every fence in its text', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('`', '``', '````', 'x', '\n'), { maxLength: 30 }), (parts) => {
      const text = parts.join('');
      const [fence = '', ...lines] = fenced(text).split('\n');
      expect(lines.at(-1)).toBe(fence);
      expect(text).not.toContain(fence);
    }),
  );
});

test('a text with very many fences is fenced', () => {
  expect(fenced('```\n'.repeat(300_000)).startsWith('````\n')).toBe(true);
});
