import { beforeAll, describe, expect, test } from '@jest/globals';
import { loadWidths } from '../../../src/cli/display/columns.js';
import { Display } from '../../../src/cli/display/display.js';
import { LiveRun } from '../../../src/cli/screen/live/live-run.js';
import { MarkdownStream } from '../../../src/cli/screen/markdown/markdown-stream.js';
import type { Step } from '../../../src/contract/step.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import type { RunResult } from '../../../src/sdk/run/run-result.js';
import { reduceRun } from '../../../src/sdk/view/reduce-run.js';
import { emptyRun } from '../../../src/sdk/view/run-view.js';
import { Emulator } from '../../support/emulator.js';
import { answered } from '../../support/test-service.js';

beforeAll(loadWidths);

function open({ columns = 60, rows = 30, verbose = false } = {}) {
  const emulator = new Emulator(columns, rows);
  const display = new Display(emulator.output, { environment: {} });
  const options = { verbose, showAnswer: true, showsTasks: true, showProposals: false };
  const run = new LiveRun(display, options, (view) => new MarkdownStream(view));
  let after = emptyRun();
  return {
    emulator,
    display,
    show: (...events: readonly EventFields[]) => {
      for (const each of events) {
        const event = each as RunEvent;
        const before = after;
        after = reduceRun(before, event);
        run.show(event, { before, after });
      }
    },
  };
}

/** The fields of an event that the screen reads. */
type EventFields = { readonly type: RunEvent['type'] } & Readonly<Record<string, unknown>>;

const response = (fields: Partial<Step>): Step => ({
  ...answered,
  request_id: 'r',
  updated_conversation_history: null,
  context_report: null,
  thought: null,
  direct_response: null,
  ...fields,
});
const reason = (fields: Partial<Step>): EventFields => ({ type: 'agent_reason', response: response(fields) });
const delta = (part: 'draft' | 'thought' | 'answer', text: string): EventFields => ({
  type: `${part}_delta`,
  delta: text,
});
const turn: EventFields = { type: 'agent_turn_start', phase: null, iterationsLeft: 10, step: 1 };
const call = { id: 'c', toolName: 'run_command', toolArgs: { command: 'npm test' }, step: 1 };
const usage = { input_tokens: 6_900, output_tokens: 210, cached_input_tokens: 5_000 };
const end = (answer: string): EventFields => {
  // The screen only reads these fields.
  const fields = { answer, stopReason: 'answered', steps: [{}, {}], usage, history: [], tasks: [] };
  const result = fields as unknown as RunResult;
  return { type: 'agent_completion', result };
};

describe('live run (rule: terminal)', () => {
  test('the terminal shows thought and answer while they stream, and once when they are complete', async () => {
    const { emulator, display, show } = open({ columns: 70 });
    show(
      { type: 'agent_start', task: 'How much?', maxSteps: 10 },
      turn,
      delta('thought', 'I look '),
      delta('thought', 'at it.'),
    );
    display.flush();
    expect(await emulator.rows()).toEqual([
      '',
      '› How much?',
      '',
      '  I look at it.',
      expect.stringMatching(/Thinking… 0s • esc to interrupt • step 1\/10$/),
    ]);
    show(delta('answer', 'It is **42**, as the list says'));
    display.flush();
    expect((await emulator.rows()).at(-1)).toMatch(/Writing/);
    expect(await emulator.styleOf('I look')).toMatchObject({ dim: false });
    show(
      delta('answer', ' in its second row.'),
      reason({
        thought: 'I look at it.',
        direct_response: 'It is **42**, as the list says in its second row.',
      }),
    );
    show(end('It is **42**, as the list says in its second row.'));
    expect(await emulator.rows()).toEqual([
      '',
      '› How much?',
      '',
      '  I look at it.',
      '',
      'It is 42, as the list says in its second row.',
      '',
      expect.stringMatching(/^answered · 2 steps · 6.9k tokens in \(5k cached\) · 210 out/),
    ]);
  });

  test('the terminal prints the full reply again only if it differs from the streamed draft', async () => {
    const { emulator, show } = open();
    show(turn, delta('draft', 'I look.'), reason({ thought: 'I look.' }));
    show(turn, delta('draft', 'Fifty'), reason({ direct_response: 'It is 42.' }), end('It is 42.'));
    const rows = await emulator.rows();
    expect(rows.slice(0, 6)).toEqual(['', 'I look.', '', '(the full reply, as parsed:)', '', 'It is 42.']);
  });

  test('the terminal prints only the answer if the thought before it was streamed as a draft', async () => {
    const { emulator, show } = open();
    const both = reason({ thought: 'I know.', direct_response: 'It is 42.' });
    show(turn, delta('draft', 'I know.'), both, end('It is 42.'));
    expect((await emulator.rows()).slice(0, 4)).toEqual(['', 'I know.', '', 'It is 42.']);
  });

  test('the terminal prints a text that is both thought and answer only once', async () => {
    const { emulator, show } = open();
    const both = reason({ thought: 'It is 42.', direct_response: 'It is 42.' });
    show(turn, delta('draft', 'It is 42.'), both, end('It is 42.'));
    expect((await emulator.rows()).join('\n').match(/It is 42/g)).toHaveLength(1);
  });

  test('the terminal prints only the first warning of each kind in a run', async () => {
    const { emulator, show } = open();
    const warned = (text: string) => reason({ warnings: [{ code: 'cut', message: `${text} was cut.` }] });
    show(turn, warned('One'), { ...turn, step: 2 }, warned('Two'));
    const shown = (await emulator.rows()).join('\n');
    expect(shown).toContain('Warning: One was cut.');
    expect(shown).not.toContain('Two');
  });

  test('the terminal removes the partial text of a failed step', async () => {
    const { emulator, show } = open();
    const error = { code: 'upstream_overloaded', message: 'Busy.', retryable: true };
    show(turn, delta('thought', 'Half a '), { type: 'agent_error', error, retryInMs: 2_000 });
    show(
      turn,
      delta('thought', 'Whole.'),
      reason({ thought: 'Whole.', direct_response: 'Yes.' }),
      end('Yes.'),
    );
    const shown = (await emulator.rows()).join('\n');
    expect(shown).not.toContain('Half');
    expect(shown).toContain('Busy. (upstream_overloaded) Retrying in 2 s.');
    expect(shown.match(/Whole\./g)).toHaveLength(1);
  });

  test.each([
    ['is stopped', []],
    ['fails for good', [{ type: 'agent_error', error: { code: 'x', message: 'Broken.' }, retryInMs: null }]],
  ] as const)('the terminal keeps the text of a reply that %s', async (_, events) => {
    const { emulator, show } = open();
    show(turn, delta('thought', 'I know.'), delta('answer', 'One.\n\nHalf of'), ...events, end(''));
    const shown = (await emulator.rows()).join('\n');
    expect(shown).toContain('  I know.\n\nOne.\n\nHalf of\n\n');
  });

  test('the terminal shows the last lines of a running command, and its exit code and last lines at the end', async () => {
    const { emulator, display, show } = open();
    show(turn, { type: 'tool_start', ...call });
    for (let line = 1; line <= 30; line += 1)
      show({ type: 'tool_output', ...call, delta: `test ${line} \u001b[32mok\u001b[0m\n` });
    show({ type: 'tool_output', ...call, delta: ' 10%\r 20%\r 30%' });
    display.flush();
    expect(await emulator.rows()).toEqual([
      '',
      '○ run_command(command="npm test")',
      '  test 27 ok',
      '  test 28 ok',
      '  test 29 ok',
      '  test 30 ok',
      '   30%',
      expect.stringMatching(/Running npm test… 0s • esc to interrupt/),
    ]);
    const lines = Array.from({ length: 30 }, (_, index) => `test ${index + 1} ok`).join('\n');
    show({ type: 'tool_complete', ...call, observation: `Exit code 0.\n${lines}`, durationMs: 1 }, end(''));
    expect((await emulator.rows()).slice(0, 6)).toEqual([
      '',
      '● run_command(command="npm test")',
      '  ⎿ Exit code 0.',
      '    … 23 more lines',
      '    test 24 ok',
      '    test 25 ok',
    ]);
  });

  test('the status line changes from thinking to running and disappears at the end', async () => {
    const { emulator, display, show } = open();
    show(turn, delta('thought', 'A plan.'), reason({ thought: 'A plan.' }));
    display.flush();
    expect((await emulator.rows()).at(-1)).toMatch(/Thinking…/);
    show({ type: 'tool_start', ...call });
    display.flush();
    expect((await emulator.rows()).at(-1)).toMatch(/Running npm test…/);
    show(end('Done.'));
    expect((await emulator.rows()).join('\n')).not.toMatch(/…/);
  });

  test('the terminal prints each result of parallel calls below its call', async () => {
    const { emulator, show } = open();
    const reads = ['a', 'b'].map((path) => ({
      id: path,
      toolName: 'read_file',
      toolArgs: { path },
      step: 1,
    }));
    for (const read of reads) show({ type: 'tool_start', ...read });
    for (const read of reads.toReversed())
      show({ type: 'tool_complete', ...read, observation: `text of ${read.id}`, durationMs: 1 });
    show(end(''));
    expect((await emulator.rows()).slice(0, 6)).toEqual([
      '',
      '● read_file(path="b")',
      '  ⎿ text of b',
      '',
      '● read_file(path="a")',
      '  ⎿ text of a',
    ]);
  });

  test('the terminal shows the TODO list below the run, and prints it once at the end', async () => {
    const { emulator, display, show } = open();
    const tasks = (status: string) => [
      { id: 1, content: 'Look', status },
      { id: 2, content: 'Tell', status: 'todo' },
    ];
    const own = { id: 't', toolName: 'create_tasks', toolArgs: { tasks: ['Look', 'Tell'] }, step: 1 };
    show(turn, { type: 'tool_start', ...own }, { type: 'tasks_updated', tasks: tasks('todo') });
    show({ type: 'tool_complete', ...own, observation: '[ ] 1. Look', durationMs: 1 });
    show({ type: 'tasks_updated', tasks: tasks('completed') });
    display.flush();
    const marks = async () => (await emulator.rows()).filter((row) => /^[☐◐☑]/.test(row));
    expect(await marks()).toEqual(['☑ Look', '☐ Tell']);
    show(end('Done.'));
    expect(await marks()).toEqual(['☑ Look', '☐ Tell']);
    expect((await emulator.rows()).join('\n')).not.toContain('create_tasks');
  });

  test('at 60 columns the terminal wraps no row of answers, calls or results', async () => {
    const { emulator, show } = open({ columns: 60 });
    const answer = `${'A paragraph of many words, 日本語 among them. '.repeat(4)}\n\n- ${'an item '.repeat(20)}\n\n| a | b |\n|---|---|\n| ${'cell '.repeat(20)}| ${'other '.repeat(20)}|\n`;
    show(
      turn,
      reason({
        thought: 'A thought of so many words that it takes more than one row of the window.',
        direct_response: answer,
      }),
    );
    const args = { path: 'a/long/path/to/a/file/that/does/not/fit/in/a/row/of/this/window.ts' };
    show(
      {
        type: 'tool_complete',
        ...call,
        toolName: 'read_file',
        toolArgs: args,
        observation: 'x'.repeat(500),
        durationMs: 1,
      },
      end(answer),
    );
    expect(await emulator.wrappedRows()).toEqual([]);
    expect((await emulator.rows()).join('\n')).toContain('"a/long/path/to/a/file/that/does/not/fit/…');
  });

  test('the terminal prints a streamed answer of 500 KB completely and only once', async () => {
    const { emulator, show } = open({ columns: 80 });
    const answer = Array.from(
      { length: 9_000 },
      (_, line) => `Line ${line} is one of many lines, and says no more.\n\n`,
    ).join('');
    show(turn);
    for (const piece of answer.match(/[\s\S]{1,700}/g) ?? []) show(delta('answer', piece));
    show(reason({ direct_response: answer }), end(answer));
    const fields = (await emulator.rows()).filter((row) => row.startsWith('Line'));
    expect(fields).toEqual(answer.trim().split('\n\n'));
  });

  test('redrawing after each of 2,000 deltas writes fewer than 180 characters per frame on average', async () => {
    const { emulator, display, show } = open({ columns: 80, rows: 40 });
    const words = Array.from({ length: 2_000 }, (_, word) => `word${word} ${word % 80 === 79 ? '\n\n' : ''}`);
    const text = words.join('');
    show(turn);
    display.flush();
    const before = emulator.written.length;
    for (const word of words) {
      show(delta('answer', word));
      display.flush();
    }
    show(reason({ direct_response: text }), end(text));
    const written = emulator.written.length - before;
    // One frame per delta rewrites the current row, possibly a second one, and moves the cursor.
    expect(written / words.length).toBeLessThan(180);
    expect((await emulator.rows()).join(' ').match(/word\d+/g)).toEqual(text.match(/word\d+/g));
  });

  test('2,000 deltas that arrive together are drawn in a few frames', () => {
    const { emulator, show } = open();
    show(turn);
    const before = emulator.writes.length;
    for (let word = 0; word < 2_000; word += 1) show(delta('answer', `word${word} `));
    expect(emulator.writes.length - before).toBeLessThan(40);
    show(end(''));
  });

  test('control characters from models and commands do not reach the terminal', async () => {
    const { emulator, display, show } = open();
    const hostile = '\u001b[2J\u001b[1;1HFAKE\u009b2K\u202e\u001b]0;title\u0007 &#27;[2J';
    show(
      { type: 'agent_start', task: hostile, maxSteps: 1 },
      turn,
      delta('thought', hostile),
      delta('answer', hostile),
    );
    show({ type: 'tool_start', ...call, toolName: hostile, toolArgs: { [hostile]: hostile } });
    show(
      { type: 'tool_output', ...call, delta: hostile },
      { type: 'tasks_updated', tasks: [{ id: 1, content: hostile, status: 'todo' }] },
    );
    display.flush();
    show({ type: 'tool_error', ...call, error: hostile, denied: false }, end(hostile));
    expect((await emulator.rows())[1]).toContain('› �[2J�[1;1HFAKE');
    for (const acting of ['\u001b[2J', '\u001b[1;1H', '\u009b', '\u202e', '\u001b]', '\u0007'])
      expect(emulator.written).not.toContain(acting);
  });
});
