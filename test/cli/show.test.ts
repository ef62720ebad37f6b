import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { plain } from '../../src/cli/display/paint.js';
import { budgetBar, short } from '../../src/cli/screen/budget-bar.js';
import { contextPage } from '../../src/cli/screen/context-page.js';
import { renderEvent } from '../../src/cli/screen/render-event.js';
import { printableJson, showExact, showText } from '../../src/cli/screen/visible-text.js';
import type { ContextReport } from '../../src/contract/context-report.js';
import type { Step, StepError } from '../../src/contract/step.js';
import { stepError } from '../../src/conversation/blank-step.js';
import type { RunEvent } from '../../src/sdk/run/run-events.js';
import type { RunResult } from '../../src/sdk/run/run-result.js';
import { reportItem } from '../support/quiet-fields.js';
import { answered } from '../support/test-service.js';

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
    reportItem({}),
    reportItem({ id: 'b.ts', status: 'dropped', tokens: 0, original_tokens: 9_000, reason: 'no room' }),
    reportItem({
      kind: 'turn',
      id: '3',
      status: 'truncated',
      tokens: 50,
      original_tokens: 100,
      lines: '1-4',
    }),
  ],
  folders: [],
};

describe('the token bar (rule: terminal)', () => {
  test('the token bar matches the drawing in the specification', () => {
    expect(budgetBar(report, plain)).toBe('▰▰▰▰▰▰▰▰▱▱▱▱▱▱▱▱▱░░░ 3.1k/8k (39%)');
  });

  test('the token bar has twenty cells for any numbers', () => {
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
  ])('the count %i is shortened to %s', (count, text) => expect(short(count)).toBe(text));
});

test('/context lists dropped items with size and reason (rule: terminal)', () => {
  expect(contextPage(report, plain).split('\n').slice(1)).toEqual([
    '  tools             950',
    '  history          2.1k',
    '  reserve            1k',
    'Left out or cut:',
    '  dropped     explicit b.ts, 9k tokens: no room',
    '  truncated   turn 3, lines 1-4, 100 tokens',
  ]);
});

describe('plain lines of a run (rule: terminal)', () => {
  const options = {
    paint: plain,
    maxLines: 2,
    width: 80,
    verbose: false,
    showAnswer: true,
    showProposals: true,
  };
  const call = { id: 'c', toolName: 't', toolArgs: {}, durationMs: 1, step: 1 };

  test('a final line break of an observation adds no empty row', () => {
    expect(renderEvent({ type: 'tool_complete', ...call, observation: 'one\ntwo\n' }, options)).toEqual([
      'Observation one',
      '            two',
    ]);
  });

  test('the start of a run without a new task is printed as "Task  (continued)"', () => {
    const start = { type: 'agent_start', task: '', model: 'm', tools: [], maxSteps: 1, step: 0 } as const;
    expect(renderEvent(start, options)).toEqual(['', 'Task  (continued)']);
  });
});

describe('texts from models, tools and files (rule: terminal)', () => {
  const actsOnTerminal = /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

  test('showText replaces every control character except line break and tab', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(showText(text)).not.toMatch(actsOnTerminal);
        expect(showExact(text)).not.toMatch(actsOnTerminal);
      }),
    );
  });

  test.each([
    ['\u001b[2J\u001b]0;title\u0007', '�[2J�]0;title�'],
    ['a\r\nb\rc', 'a\nb�c'],
    ['safe \u202etxt.exe', 'safe �txt.exe'],
    ['tab\tand\nline', 'tab\tand\nline'],
    ['rm\u200b -rf\u2060 \u00ad/', 'rm<U+200B> -rf<U+2060> <U+00AD>/'],
    ['pass\u200cword\u200d \ufe0fx \u200eltr', 'pass<U+200C>word<U+200D> <U+FE0F>x <U+200E>ltr'],
    ['tags \u{e0041}\u{e0042}', 'tags <U+E0041><U+E0042>'],
    ['🙂\ufe0f\ufe01\ufe02\u200d\u200d', '🙂\ufe0f<U+FE01><U+FE02><U+200D><U+200D>'],
  ])('showText shows %j as %j', (text, shown) => expect(showText(text)).toBe(shown));

  test('showText replaces every invisible character next to ASCII by its code point, such as <U+200B>', () => {
    const unit = fc.constantFrom(
      ...'ab /\n',
      '\u200b',
      '\u200c',
      '\u200d',
      '\u200e',
      '\u061c',
      '\ufe0f',
      '\u{e0100}',
    );
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 30 }), (text) => {
        expect(showText(text)).toMatch(/^[\n -~]*$/);
      }),
    );
  });

  test.each([
    ['Persian', 'می\u200cخواهم نان بخرم'],
    ['Hebrew with marks of direction', 'השפה C++\u200e, ו\u200f-C'],
    ['Arabic with its end of ayah', 'بسم الله \u06dd١'],
    ['Hindi', 'क्\u200dष और क्\u200cष'],
    ['emoji', '👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 1\ufe0f\u20e3 🏳\ufe0f\u200d🌈'],
    ['French and Japanese spaces', 'Quoi\u00a0? 日本\u3000語'],
  ])('showText keeps invisible characters that scripts need: %s', (_, text) => {
    expect(showText(text)).toBe(text);
    expect(showText(`a line of ASCII\n${text}\nand one more`)).toContain(text);
  });

  test('showExact replaces even invisible characters that scripts need by their code points, such as <U+200C>', () => {
    expect(showExact('می\u200cخواهم\u200f 👩\u200d👧\u00a0x')).toBe(
      'می<U+200C>خواهم<U+200F> 👩<U+200D>👧<U+00A0>x',
    );
  });

  /**
   * Returns a text that names its place and contains a control character, a direction override and invisible
   * characters.
   */
  const hostile = (place: string) => `${place}:\u001b[31m\u0007\u202e\u200b\u2066\u{e0041}`;

  const call = {
    id: 'c',
    toolName: hostile('tool'),
    toolArgs: { [hostile('key')]: hostile('value') },
    step: 1,
  };
  const error: StepError = {
    ...stepError({ code: 'invalid_request', message: hostile('message'), retryable: false }),
    details: [{ path: hostile('path'), message: hostile('detail') }],
  };
  const response: Step = {
    ...answered,
    request_id: 'r',
    updated_conversation_history: null,
    warnings: [{ code: 'cut', message: hostile('warning') }],
    thought: hostile('thought'),
    correction: {
      ...answered.new_turns[0],
      role: 'user',
      content: hostile('correction'),
    } as Step['correction'],
    parse: { ...answered.parse, problem: hostile('problem') } as Step['parse'],
    context_report: {
      ...report,
      items: report.items.map((item) => ({ ...item, id: hostile('item'), reason: hostile('reason') })),
    },
  };
  const result = {
    ...{
      answer: hostile('answer'),
      stopReason: 'answered',
      terminationReason: null,
      steps: [],
      history: [],
    },
    ...{ tasks: [], usage: answered.usage, error: null, inputRequest: null, summary: () => '' },
  } as unknown as RunResult;
  const events: Readonly<Record<RunEvent['type'], object>> = {
    agent_start: { task: hostile('task'), model: 'm', tools: [], maxSteps: 1, step: 0 },
    agent_turn_start: { phase: hostile('phase') as 'act', iterationsLeft: 1, step: 1 },
    agent_reason: { thought: null, response, step: 1 },
    draft_delta: { delta: hostile('delta'), step: 1 },
    thought_delta: { delta: hostile('delta'), step: 1 },
    answer_delta: { delta: hostile('delta'), step: 1 },
    approval_requested: {
      request: {
        action: {
          id: call.id,
          tool_name: call.toolName,
          tool_args: call.toolArgs,
          raw_action_string: '',
          requires_approval: true,
        },
        preview: null,
        rules: [],
      },
      step: 1,
    },
    tool_start: call,
    tool_output: { ...call, delta: hostile('output') },
    tool_complete: { ...call, observation: hostile('observation'), durationMs: 1 },
    tool_error: { ...call, error: hostile('error'), denied: true, terminal: false, durationMs: 1 },
    agent_observe: { observations: [], thought: null, response, step: 1 },
    tasks_updated: { tasks: [{ id: 1, content: hostile('todo'), status: 'todo' }], step: 1 },
    agent_request_input: { callId: 'c', question: hostile('question'), choices: [], step: 1 },
    agent_request_input_timeout: { callId: 'c', question: hostile('question'), choices: [], step: 1 },
    context_compacted: { tokens_before: 2, tokens_after: 1, step: 1 },
    agent_error: { error, retryInMs: null, step: 1 },
    agent_stopped: { result, step: 1 },
    agent_completion: { result, step: 1 },
  };

  test.each(
    Object.keys(events) as RunEvent['type'][],
  )('no hostile character of a %s event reaches the terminal', (type) => {
    const options = {
      paint: plain,
      maxLines: 8,
      width: 80,
      verbose: true,
      showAnswer: true,
      showProposals: true,
    };
    // Cast: `events` holds the other fields of each type.
    const event = { type, ...events[type] } as RunEvent;
    const shown = renderEvent(event, options).join('\n');
    expect(shown).not.toMatch(actsOnTerminal);
    expect(shown).not.toMatch(/\u200b|\u{e0041}/u);
    expect(printableJson(event)).toMatch(/^[^\p{Cc}\p{Cf}]*$/u);
  });
});
