import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { budgetBar, short } from '../../src/cli/screen/budget-bar.js';
import { contextPage } from '../../src/cli/screen/context-page.js';
import { renderEvent } from '../../src/cli/screen/render-event.js';
import { sanitize } from '../../src/cli/screen/sanitize.js';
import { Spinner } from '../../src/cli/screen/spinner.js';
import { plain } from '../../src/cli/screen/terminal.js';
import type { ContextReport } from '../../src/contract/context-report.js';

const report: ContextReport = {
  token_limit: 8_000,
  reserved_output_tokens: 1_000,
  prompt_tokens: 3_100,
  counting: 'exact',
  stable_prefix_tokens: 3_000,
  stable_prompt_sha256: '',
  sections: [
    { name: 'tools', tokens: 950 },
    { name: 'history', tokens: 2_150 },
  ],
  items: [
    {
      kind: 'explicit',
      id: 'a.ts',
      status: 'included',
      tokens: 5,
      original_tokens: 5,
      lines: null,
      reason: null,
    },
    {
      kind: 'explicit',
      id: 'b.ts',
      status: 'dropped',
      tokens: 0,
      original_tokens: 9_000,
      lines: null,
      reason: 'no room',
    },
    {
      kind: 'turn',
      id: '3',
      status: 'truncated',
      tokens: 50,
      original_tokens: 100,
      lines: '1-4',
      reason: null,
    },
  ],
  folders: [],
};

describe('the token bar (rule: terminal)', () => {
  test('is as the specification draws it', () => {
    expect(budgetBar(report, plain)).toBe('▰▰▰▰▰▰▰▰▱▱▱▱▱▱▱▱▱░░░ 3.1k/8k (39%)');
  });

  test('has twenty cells whatever the numbers', () => {
    const count = fc.integer({ min: 1, max: 2_000_000 });
    fc.assert(
      fc.property(count, count, count, (limit, used, reserve) => {
        const numbers = {
          token_limit: limit,
          prompt_tokens: used,
          reserved_output_tokens: Math.min(reserve, limit - 1),
        };
        expect(budgetBar({ ...report, ...numbers }, plain)).toMatch(/^[▰▱░]{20} \S+\/\S+ \(\d+%\)$/);
      }),
    );
  });

  test.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1k'],
    [3_149, '3.1k'],
    [128_000, '128k'],
  ])('%i is %s', (count, text) => expect(short(count)).toBe(text));
});

test('/context names what was left out, with size and reason (rule: terminal)', () => {
  expect(contextPage(report, plain).split('\n').slice(1)).toEqual([
    '  tools             950',
    '  history          2.1k',
    '  reserve            1k',
    'Left out or cut:',
    '  dropped     explicit b.ts, 9k tokens: no room',
    '  truncated   turn 3, lines 1-4, 100 tokens',
  ]);
});

test('a long answer that comes in small pieces is looked at once, not again at each piece', () => {
  const shown: string[] = [];
  const progress = Object.assign(Object.create(process.stderr), {
    write: (text: string) => shown.push(text),
  });
  const spinner = new Spinner({ progress, paint: plain, width: 80, isLive: true });
  spinner.start('Thinking');
  for (let piece = 0; piece < 20_000; piece += 1) spinner.tell(`${'word \u001b[2J '.repeat(10)}${piece} `);
  spinner.above(() => undefined);
  spinner.stop();
  expect(shown.join('')).toMatch(/word �\[2J 19999 /);
});

describe('what a model or a file says cannot act on the terminal', () => {
  test('no control character is left but line break and tab', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(sanitize(text)).not.toMatch(/[^\P{Cc}\n\t]/u);
      }),
    );
  });

  test.each([
    ['\u001b[2J\u001b]0;title\u0007', '�[2J�]0;title�'],
    ['a\r\nb\rc', 'a\nb�c'],
    ['safe \u202etxt.exe', 'safe �txt.exe'],
    ['tab\tand\nline', 'tab\tand\nline'],
  ])('%j is shown as %j', (text, shown) => expect(sanitize(text)).toBe(shown));

  test('also where it stands in an event', () => {
    const options = {
      paint: plain,
      maxLines: 8,
      width: 80,
      verbose: false,
      showAnswer: true,
      showProposals: false,
    };
    const bad = '\u001b[31mred';
    const call = { id: 'c', tool_name: 't', tool_args: { a: bad }, step: 1 };
    const lines = [
      ...renderEvent(
        { type: 'agent_start', task: bad, model: 'm', tools: [], max_steps: 1, step: 0 },
        options,
      ),
      ...renderEvent({ type: 'tool_start', ...call }, options),
      ...renderEvent({ type: 'tool_complete', ...call, observation: bad, duration_ms: 1 }, options),
      ...renderEvent(
        { type: 'tasks_updated', tasks: [{ id: 1, content: bad, status: 'todo' }], step: 1 },
        options,
      ),
    ];
    expect(lines.join('\n')).not.toContain('\u001b');
    expect(lines.join('\n')).toContain('red');
  });
});
