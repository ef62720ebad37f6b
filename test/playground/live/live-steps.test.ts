import { describe, expect, test } from '@jest/globals';
import type { WatchEvent } from '../../../src/contract/watch.js';
import {
  formerStep,
  isDone,
  type LiveSteps,
  noSteps,
  sessionsOf,
  takeEvent,
} from '../../../src/playground/live/live-steps.js';
import { runAround } from '../../../src/playground/live/run-around.js';
import { outcomeInWords, timeOfDay, tokensInWords } from '../../../src/playground/live/words.js';
import { began, failed, recordedStep, started, watched } from './recorded-steps.js';

const keptAfter = (events: readonly WatchEvent[], size = 10): LiveSteps =>
  events.reduce((kept, event) => takeEvent(kept, event, { size, at: 5 }), noSteps);

const summary = ({ steps }: LiveSteps) => steps.map(({ id, state }) => `${id} ${state.type}`);

describe('the steps that the Live page keeps (rule: playground-live)', () => {
  test('a step is shown as running until its end event arrives, and keeps its place in the list', () => {
    const events = [started(), began('a'), began('b'), watched('a'), failed('b')];
    expect(summary(keptAfter(events.slice(0, 3)))).toEqual(['a running', 'b running']);
    expect(summary(keptAfter(events))).toEqual(['a done', 'b failed']);
  });

  test('a failed step keeps the model and the start time from its begin event', () => {
    const [step] = keptAfter([began('a'), failed('a')]).steps;
    expect([step?.model, step?.beganAt]).toEqual(['m', '2026-01-01T10:00:00.000Z']);
    const [kept] = keptAfter([failed('a')]).steps;
    expect([kept?.model, kept?.beganAt]).toEqual([null, null]);
  });

  test('a new connection drops running steps, which the service reports again, and no step is listed twice', () => {
    const events = [began('a'), watched('a'), began('b'), started(), watched('a'), began('b'), watched('c')];
    expect(summary(keptAfter(events))).toEqual(['a done', 'b running', 'c done']);
  });

  test('the page keeps as many ended steps as the service, and drops the oldest', () => {
    const limits = started({ limit_steps: 2 } as Partial<WatchEvent>);
    expect(summary(keptAfter([limits, began('z'), watched('a'), watched('b'), failed('c')]))).toEqual([
      'z running',
      'b done',
      'c failed',
    ]);
  });

  test('the page keeps no more characters than the service', () => {
    expect(summary(keptAfter([started(), watched('a'), watched('b'), watched('c')], 400))).toEqual([
      'b done',
      'c done',
    ]);
  });
});

describe('sessions of the Live page (rule: playground-live)', () => {
  test('steps are grouped by session; the session with the newest step is first', () => {
    const one = recordedStep({ request: { user_query: 'One?' } });
    const { steps } = keptAfter([watched('a', one, 's1'), watched('b', one, 's2'), began('c', 's1')]);
    expect(
      sessionsOf(steps).map(({ id, task, steps: own }) => [id, task, own.map((step) => step.id)]),
    ).toEqual([
      ['s1', 'One?', ['a', 'c']],
      ['s2', 'One?', ['b']],
    ]);
  });

  test('steps without a session are grouped by their first user message', () => {
    const turn = (content: string) => ({ role: 'user' as const, content });
    const step = (...contents: string[]) =>
      recordedStep({ request: { user_query: '', conversation_history: contents.map(turn) } });
    const { steps } = keptAfter([
      watched('a', step('Hello'), null),
      watched('b', step('Other'), null),
      watched('c', step('Hello', 'and more'), null),
      began('d', null),
    ]);
    expect(sessionsOf(steps).map((session) => session.steps.map(({ id }) => id))).toEqual([
      ['d'],
      ['a', 'c'],
      ['b'],
    ]);
  });

  test('in a session with several runs, a step opens with the steps of its own run only', () => {
    const action = recordedStep({ response: { status: 'action_proposed', direct_response: null } });
    const { steps } = keptAfter([
      watched('a', action),
      watched('b'),
      watched('c', action),
      failed('x'),
      watched('d', action),
      watched('e'),
      watched('f', action),
    ]);
    const [session] = sessionsOf(steps);
    const runOf = (id: string) => {
      const step = session?.steps.filter(isDone).find((each) => each.id === id);
      return session && step ? runAround(session, step).map((each) => each.id) : [];
    };
    expect(runOf('a')).toEqual(['a', 'b']);
    expect(runOf('d')).toEqual(['c', 'd', 'e']);
    expect(runOf('f')).toEqual(['f']);
  });
});

describe('the step with which a prompt is compared (rule: playground-live)', () => {
  const step = (query: string, tool?: string) =>
    recordedStep({
      request: { user_query: query, ...(tool && { tools: [{ name: tool, inputSchema: {} }] }) },
    });
  const formerOf = (events: readonly WatchEvent[]) => {
    const { steps } = keptAfter(events);
    const last = steps.filter(isDone).at(-1);
    const former = last ? formerStep(steps, last) : null;
    const from = steps.filter(isDone).find(({ state }) => state.record === former?.record);
    return former && [from?.id, former.isOfOtherSession];
  };

  test('a prompt is compared with the previous step of its session that did not fail', () => {
    const events = [
      watched('a', step('A')),
      failed('b'),
      watched('c', step('B'), 's2'),
      watched('d', step('C')),
    ];
    expect(formerOf(events)).toEqual(['a', false]);
  });

  test('the first step of a session is compared with another session’s step that has the same task and tools', () => {
    const first = watched('a', step('A', 'grep'), 's1');
    expect(formerOf([first, watched('b', step('A', 'grep'), 's2')])).toEqual(['a', true]);
    expect(formerOf([first, watched('b', step('A', 'find'), 's2')])).toBeNull();
    expect(formerOf([first, watched('b', step('B', 'grep'), 's2')])).toBeNull();
  });
});

describe('words of the Live page (rule: playground-live)', () => {
  test.each([
    ['answers', {}],
    [
      'calls read_file, grep',
      {
        status: 'action_proposed' as const,
        action_details: call('read_file'),
        additional_actions: [call('grep'), call('read_file')],
      },
    ],
    ['a call that could not be read', { parse: reading('malformed_action') }],
    ['answers', { parse: reading('answer') }],
    ['phase reason done', { status: 'phase_completed' as const, phase: 'reason' as const }],
  ])('the outcome of a step reads "%s"', (words, response) => {
    expect(outcomeInWords(recordedStep({ response }))).toBe(words);
  });

  test('the tokens shown for a step are those that the vendor reports, or nothing if it reports none', () => {
    const usage = { cache_write_tokens: null, reasoning_tokens: null, cost: null };
    const counts = { ...usage, input_tokens: 3_200, output_tokens: 41, cached_input_tokens: 0 };
    expect(tokensInWords(recordedStep({ response: { usage: counts } }).response)).toBe(
      '3.2k in · 0 cached · 41 out',
    );
    expect(tokensInWords(recordedStep().response)).toBe('');
  });

  test('a missing or invalid time is shown as a dash', () => {
    expect(timeOfDay(null)).toBe('–');
    expect(timeOfDay('yesterday')).toBe('–');
    expect(timeOfDay('2026-01-01T10:00:00.000Z')).toMatch(/^\d\d:00:00$/);
  });
});

function call(tool_name: string) {
  return { tool_name, tool_args: {}, raw_action_string: '', id: tool_name, requires_approval: false };
}

function reading(outcome: 'answer' | 'malformed_action') {
  return { outcome, dialect: null, confidence: 'exact' as const, repairs: [], discarded: [], problem: null };
}
