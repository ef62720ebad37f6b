import { describe, expect, test } from '@jest/globals';
import { editorQuestion } from '../../../examples/vscode/src/approvals/editor-question.js';
import { inMessage } from '../../../examples/vscode/src/approvals/in-message.js';
import { SessionConsents } from '../../../examples/vscode/src/approvals/session-consents.js';
import type { ApprovalRequest, ApprovalRule } from '../../../src/sdk/index.js';

const change = { path: 'notes.md', before: 'old\n', after: 'new\n' };

function asking(
  tool_name: string,
  tool_args: ApprovalRequest['action']['tool_args'],
  rules: readonly ApprovalRule[] = [],
): ApprovalRequest {
  const action = { id: 'call_1', tool_name, tool_args, raw_action_string: '', requires_approval: true };
  return { action, preview: null, rules };
}

const edit = asking('edit_file', { path: 'notes.md', old_string: 'old', new_string: 'new' });
const command = { command: 'npm test' };
const rule: ApprovalRule = { type: 'call', tool: 'run_command', args: command };

describe('session rules of the extension (rule: always-rules)', () => {
  const consents = () => {
    const made = new SessionConsents();
    made.noteChange('call_1', change);
    return made;
  };

  test('always allowing a file covers its changes, but no command with the same call id', () => {
    const made = consents();
    made.allow(edit, 0);
    expect(made.allows(edit)).toBe(true);
    const removal = asking('run_command', { command: 'rm -rf .' });
    expect(made.allows(removal)).toBe(false);
    expect(made.changeOf(removal)).toBeUndefined();
    expect(made.allows(asking('edit_file', { ...edit.action.tool_args, path: 'other.md' }))).toBe(false);
  });

  test('always allowing a command covers only that command, not a change with the same call id', () => {
    const made = consents();
    made.allow(asking('run_command', command, [rule]), 0);
    expect(made.allows(asking('run_command', command, [rule]))).toBe(true);
    expect(
      made.allows(asking('run_command', { command: 'rm -rf .' }, [{ ...rule, args: { command: 'rm' } }])),
    ).toBe(false);
    expect(made.allows(edit)).toBe(false);
  });

  test('the file change of a call is found however its path is spelled', () => {
    for (const path of ['./notes.md', 'notes.md', './/notes.md'])
      expect(consents().changeOf(asking('edit_file', { path }))).toEqual(change);
    expect(consents().changeOf(asking('edit_file', { path: 'x/notes.md' }))).toBeUndefined();
  });

  test('a session rule allows only calls that the approval card offered to allow, and none after the rules are reset', () => {
    const made = consents();
    for (const index of [-1, 1, 7]) made.allow(edit, index);
    expect(made.allows(edit)).toBe(false);
    made.allow(edit, 0);
    made.forget();
    expect(made.allows(edit)).toBe(false);
  });
});

describe('untrusted text in a message of the editor', () => {
  test('untrusted text in an editor message is one short line without links', () => {
    expect(inMessage('[Show](command:workbench.action.closeWindow)')).toBe(
      '[Show] (command:workbench.action.closeWindow)',
    );
    expect(inMessage('a\n\u202eb')).toBe('a\uFFFD\uFFFDb');
    expect(inMessage('x'.repeat(4_000)).length).toBeLessThan(400);
    expect(inMessage('docs/a file [1] (copy).md')).toBe('docs/a file [1] (copy).md');
  });
});

describe('approval questions outside the view', () => {
  const all = ['Accept', 'Reject', 'Show'];
  const call = { tool: 'run_command', args: '{}', path: null };

  test('an approval question shows the command; a command too long to show can only be accepted in the view', () => {
    expect(editorQuestion({ ...call, preview: 'npm test' }, false)).toEqual({
      question: 'Stepwise wants to run run_command: npm test',
      detail: '',
      choices: all,
    });
    const { question, choices } = editorQuestion(
      { ...call, preview: `echo ${'x'.repeat(400)}; rm -rf .` },
      true,
    );
    expect(question).toMatch(/x…$/);
    expect(choices).toEqual(['Reject', 'Show']);
  });

  test('an approval notification names the changed file but does not contain the change', () => {
    const question = 'Stepwise wants to change notes.md.';
    const change = { ...call, path: 'notes.md', preview: 'x'.repeat(4_000) };
    expect(editorQuestion(change, false)).toEqual({ question, detail: '', choices: all });
  });

  test('an approval dialog shows every character of a change; a change too long to show can only be accepted in the view', () => {
    const ask = (preview: string) => editorQuestion({ ...call, path: 'notes.md', preview }, true);
    expect(ask('+\tone\u202e\n')).toMatchObject({ detail: '+\tone\uFFFD\n', choices: all });
    const { detail, choices } = ask(`+${'x'.repeat(4_000)}; rm -rf .`);
    expect(detail).toMatch(/x\n… Click “Show” to see the whole change\.$/);
    expect(choices).toEqual(['Reject', 'Show']);
  });
});
