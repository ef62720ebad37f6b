import { describe, expect, test } from '@jest/globals';
import { AlreadyShown } from '../../../src/cli/screen/already-shown.js';
import type { Task } from '../../../src/contract/step-request.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import { act, answer, scripted, setUp, terminal } from '../../support/cli-harness.js';
import { needs } from '../../support/needs.js';

const files = { 'config.js': 'export const limit = 30;\n' };
const plan = [
  act('create_tasks(tasks=["Look", "Tell"])'),
  act('update_task_status(id=1, status="completed")'),
  answer('**One** file.'),
];

const task = (id: number, status: Task['status']): Task => ({ id, content: `Task ${id}`, status });

/** Creates an event with the fields that the tests need. */
const event = (fields: object) => fields as RunEvent;

describe('content the person has already seen (rule: terminal)', () => {
  test('a terminal that cannot redraw prints only the TODO tasks that changed', () => {
    const shown = new AlreadyShown();
    const changed = (tasks: readonly Task[]) => shown.onlyNew(event({ type: 'tasks_updated', tasks }));
    const [first, second] = [task(1, 'todo'), task(2, 'todo')];
    expect(changed([first, second])).toMatchObject({ tasks: [first, second] });
    expect(changed([task(1, 'completed'), second])).toMatchObject({ tasks: [task(1, 'completed')] });
    expect(changed([task(1, 'completed'), second])).toMatchObject({ tasks: [] });
  });

  test('the full result of an edit allowed without approval is printed (rule: accepted-edits)', () => {
    const shown = new AlreadyShown();
    const result = event({ type: 'tool_complete', id: 'c', observation: 'Edited x:\n-1\n+2\n' });
    const preview = '-1\n+2\n';
    shown.withoutApproved(event({ type: 'approval_requested', request: { action: { id: 'c' }, preview } }));
    expect(shown.withoutApproved(result)).toEqual(result);
  });

  test('the result of a change is printed without the diff only if the person approved exactly that diff', () => {
    const diff = '--- a/x\n+++ b/x\n-1\n+2\n';
    const result = (observation: string) => event({ type: 'tool_complete', id: 'c', observation });
    const afterAsking = (preview: string | null, observation: string) => {
      const shown = new AlreadyShown();
      shown.record({ action: { id: 'c' }, preview });
      return shown.withoutApproved(result(observation));
    };
    expect(afterAsking(diff, `Edited x:\n${diff}`)).toMatchObject({ observation: 'Edited x' });
    expect(afterAsking(`On top:\n${diff}`, `Edited x:\n${diff}`)).toMatchObject({ observation: 'Edited x' });
    const others = ['Edited x:\n--- a/x\n+++ b/x\n-1\n+3\n', 'Exit code 0.', 'Exit code 0.\nnpm test\n'];
    for (const other of others) expect(afterAsking(diff, other)).toEqual(result(other));
    expect(afterAsking('npm test', 'Exit code 0.\nnpm test\n')).toEqual(result('Exit code 0.\nnpm test\n'));
    expect(afterAsking(null, `Edited x:\n${diff}`)).toEqual(result(`Edited x:\n${diff}`));
  });
});

needs(terminal).describe('terminals that cannot redraw (rule: terminal)', () => {
  test('a dumb terminal gets the banner line, the task once, changed TODO tasks and raw Markdown', async () => {
    const bench = await setUp(plan, files);
    bench.environment['TERM'] = 'dumb';
    const pty = bench.open([...scripted, 'Look at it']);
    expect(await pty.end).toBe(0);
    const shown = pty.shown.replaceAll('\r', '');
    expect(shown).toMatch(/^stepwise \S+ · scripted at fake · .* · \/help for help$/m);
    expect(shown.match(/☐ Look|☑ Look/g)).toEqual(['☐ Look', '☑ Look']);
    expect(shown.match(/[☐☑] Tell/g)).toEqual(['☐ Tell']);
    expect(shown).toContain('**One** file.');
    expect(shown.match(/^Task {2}Look at it$/gm)).toHaveLength(1);
  }, 30_000);

  test('piped output has no banner line, and prints a TODO task whenever it is added or changes', async () => {
    const bench = await setUp(plan, files);
    const { stdout, stderr } = await bench.run([...scripted, 'Look at it']);
    expect(stdout).toBe('**One** file.\n');
    expect(stderr).not.toMatch(/^stepwise/);
    expect(stderr.match(/[☐☑] (?:Look|Tell)/g)).toEqual(['☐ Look', '☐ Tell', '☑ Look']);
  }, 30_000);

  test('the result of an approved edit does not repeat its diff', async () => {
    const edit = act('edit_file(path="config.js", old_string="30", new_string="40")');
    const bench = await setUp([edit, answer('Done.')], files);
    const pty = bench.open([...scripted, 'Raise it']);
    await pty.onScreen('[esc] stop');
    pty.type('y');
    await pty.onScreen('Edited config.js');
    await pty.onScreen('Done.');
    expect(await pty.end).toBe(0);
    expect(pty.shown.match(/\+export const limit = 40;/g)).toHaveLength(1);
  }, 30_000);
});
