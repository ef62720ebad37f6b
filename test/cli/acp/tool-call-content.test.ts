import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeCall, fenced } from '../../../src/cli/acp/updates/tool-call-content.js';

const titleOf = (toolName: string, toolArgs: Readonly<Record<string, unknown>>): string =>
  describeCall({ id: '1', toolName, toolArgs }, '/x').title;

test('the title of an MCP call in an editor contains the tool name and the arguments', () => {
  expect(titleOf('github__close_issue', { number: 7, reason: 'not planned' })).toBe(
    'github__close_issue(number=7, reason="not planned")',
  );
  expect(titleOf('github__list', {})).toBe('github__list()');
});

test('a search for tools appears in an editor with the search icon and the query in its title (rule: acp)', () => {
  const call = { id: '1', toolName: 'find_tools', toolArgs: { query: 'report a bug' } };
  expect(describeCall(call, '/x')).toMatchObject({ kind: 'search', title: 'Finding tools: report a bug' });
});

test('the title of a command in an editor contains every line of the command', () => {
  expect(titleOf('run_command', { command: 'npm test\nrm -rf build' })).toBe(
    'Running npm test ⏎ rm -rf build',
  );
});

test('the title of a call in an editor is shortened in the middle, so it shows how the call begins and ends', () => {
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

test('a text of 300,000 code fences gets a longer code fence around it', () => {
  expect(fenced('```\n'.repeat(300_000)).startsWith('````\n')).toBe(true);
});
