import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TurnInput } from '../../src/contract/history.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { sentPrompt } from '../support/sent-prompt.js';
import {
  llmConfig,
  type StepAnswer,
  startWholeService,
  stepRequest,
  type WholeService,
} from '../support/whole-service.js';

const tools: StepRequestInput['tools'] = ['read_file', 'write_file'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}));
const answers = { text: 'Final Answer: done' };
const acts = { text: 'Thought: I look.\nAction: read_file(path="a")' };

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(answers);
});
afterAll(() => service.close());

const user = (content: string, more: object = {}): TurnInput => ({ role: 'user', content, ...more });
const said = (content: string): TurnInput => ({ role: 'assistant', content });
const call = (path: string, id?: string): TurnInput => ({
  role: 'assistant',
  content: `I read ${path}.`,
  toolCall: { name: 'read_file', parameters: { path }, ...(id && { id }) },
});
const saw = (content: string, more: object = {}): TurnInput => ({
  role: 'tool_observation',
  content,
  ...more,
});

/** Makes a step and returns its answer and the sent prompt without the system message. */
async function sentFor(changes: Partial<StepRequestInput>): Promise<{ text: string; answer: StepAnswer }> {
  const before = service.fake.requests.length;
  const answer = await service.step({ tools, ...changes });
  const sent = service.fake.requests[before];
  return {
    text: (sent ? sentPrompt(sent) : [])
      .slice(1)
      .map(({ text }) => text)
      .join(''),
    answer,
  };
}

test.each([
  2, 1,
])('an unreadable action gives a warning with %d iterations left (rule: unreadable-action)', async (left) => {
  service.fake.script({ text: 'Action: read_file(path="a' });
  const { answer } = await sentFor({ max_iterations_left: left });
  expect(answer.body.status).toBe('direct_response_provided');
  expect(answer.body.warnings.map(({ code }) => code)).toEqual(['unreadable_action']);
  expect(answer.body.correction === null).toBe(left === 1);
});

describe('the query and the history (rule: task-turn)', () => {
  test.each<[string, string, TurnInput[], boolean]>([
    ['a first query is added', 'q', [], true],
    ['another query is added', 'q2', [user('q')], true],
    ['the query of the unanswered last turn is skipped', 'q', [user('q'), call('a'), saw('x')], false],
    ['the query of an answered turn is added again', 'q', [user('q'), said('a')], true],
    ['a notice is not the last query', 'q', [user('q'), call('a'), user('n', { kind: 'notice' })], false],
    ['a phase does not answer the query', 'q', [user('q'), { ...said('plan'), phase: 'reason' }], false],
    ['an empty query adds nothing', '', [user('q'), call('a'), saw('x')], false],
    ['a blank query adds nothing', ' \n', [user('q'), call('a'), saw('x')], false],
  ])('whether a step adds user_query to the history: %s', async (_rule, user_query, history, isAdded) => {
    service.fake.script(answers);
    const { answer } = await sentFor({ user_query, conversation_history: history });
    expect(answer.body.new_turns.filter(({ role }) => role === 'user')).toEqual(
      isAdded ? [{ role: 'user', content: user_query, timestamp: expect.any(String) }] : [],
    );
    expect(answer.body.updated_conversation_history).toEqual([...history, ...answer.body.new_turns]);
  });

  test.each<[string, TurnInput[]]>([
    ['no history', []],
    ['no user turn', [said('hello'), call('a'), saw('x')]],
    ['a blank user turn', [user(' \n')]],
  ])('an empty or blank query without a user turn fails with 400: %s', async (_name, conversation_history) => {
    const before = service.fake.requests.length;
    const blank = await sentFor({ user_query: ' \n', conversation_history });
    expect(blank.answer.status).toBe(400);
    expect(service.fake.requests).toHaveLength(before);
    const { answer } = await sentFor({ user_query: '', conversation_history });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      error: { code: 'invalid_request', details: [{ path: 'user_query', code: 'no_task' }] },
      updated_conversation_history: conversation_history,
    });
  });

  test.each([
    'notice',
    'summary',
  ] as const)('a step succeeds with a %s turn as its whole history', async (kind) => {
    service.fake.script(answers);
    const { answer } = await sentFor({ user_query: '', conversation_history: [user('so far', { kind })] });
    expect(answer.status).toBe(200);
  });

  test('new turns have a UTC timestamp in ISO 8601, which the model never sees (rule: turn-timestamps)', async () => {
    service.fake.script(acts);
    const before = service.fake.requests.length;
    const { answer } = await sentFor({ user_query: 'q' });
    const stamps = answer.body.new_turns.map(({ timestamp }) => timestamp ?? '');
    expect(stamps).toHaveLength(2);
    for (const stamp of stamps) expect(stamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    await sentFor({ user_query: '', conversation_history: answer.body.updated_conversation_history ?? [] });
    for (const { body } of service.fake.requests.slice(before)) {
      for (const stamp of stamps) expect(JSON.stringify(body)).not.toContain(stamp);
    }
  });

  test('returned turns equal the sent ones as JSON: unknown fields, nulls and nested values stay', async () => {
    const history = [
      user('q', { mood: 'good', timestamp: null, kind: null }),
      { ...call('a'), phase: null, provider_state: null, own: { deep: [1, null, { x: [] }] } },
      saw('', { toolCallId: null, toolResult: { success: true, result: { n: 1.5, none: null }, own: [] } }),
    ];
    service.fake.script(answers);
    const { answer } = await sentFor({ user_query: '', conversation_history: history });
    expect(answer.body.updated_conversation_history?.slice(0, 3)).toEqual(history);
  });

  test('the prompt shows each observation with its own call, whatever their order', async () => {
    const history = [
      user('q'),
      { ...call('a', 'one') },
      { ...call('b', 'two'), content: '' },
      saw('of b', { toolCallId: 'two' }),
      saw('of a'),
    ];
    service.fake.script(answers);
    const { text } = await sentFor({ user_query: '', conversation_history: history });
    const order = ['path="a"', 'of a', 'path="b"', 'of b'].map((each) => text.indexOf(each));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(Math.min(...order)).toBeGreaterThan(-1);
  });

  test('the prompt shows a call without an observation as not run, and keeps an observation without a call', async () => {
    const history = [user('q'), saw('stray'), call('a')];
    service.fake.script(answers);
    const { text } = await sentFor({ user_query: '', conversation_history: history });
    expect(text).toContain('This call was not run.');
    expect(text).toContain('stray');
  });

  test('an observation shows its content, else its result, else its error', async () => {
    const history = [
      user('q'),
      ...[
        saw('content wins', { toolResult: { success: true, result: 'not this' } }),
        saw('', { toolResult: { success: true, result: { found: [1] } } }),
        saw('', { toolResult: { success: false, error: 'disk full' } }),
      ].flatMap((observation, index) => [call(`f${index}`), observation]),
    ];
    service.fake.script(answers);
    const { text } = await sentFor({ user_query: '', conversation_history: history });
    expect(text).toContain('content wins');
    expect(text).not.toContain('not this');
    expect(text).toContain('{"found":[1]}');
    expect(text).toContain('Error: disk full');
  });
});

describe('one step (rule: one-call-per-step)', () => {
  test('the last iteration asks for an answer and does not propose an action that the model writes anyway', async () => {
    service.fake.script(acts);
    const { text, answer } = await sentFor({ max_iterations_left: 1 });
    expect(text).toContain('This is the last step');
    expect(answer.body).toMatchObject({
      iterations_remaining: 0,
      status: 'direct_response_provided',
      direct_response: expect.stringMatching(/^The step limit was reached.*\n\nI look\.$/s),
      action_details: null,
      parse: { outcome: 'action_after_limit' },
      signals: { last_iteration: true },
    });
  });

  test('on_last_iteration: allow_action lets the last iteration propose an action', async () => {
    service.fake.script(acts);
    const { text, answer } = await sentFor({ max_iterations_left: 1, on_last_iteration: 'allow_action' });
    expect(text).not.toContain('This is the last step');
    expect(answer.body).toMatchObject({ status: 'action_proposed', iterations_remaining: 0 });
  });

  test('without iterations left the step returns 200 iterations_exhausted, calls no model and adds no turn (rule: iterations)', async () => {
    const before = service.fake.requests.length;
    const conversation_history = [user('q')];
    const { answer } = await sentFor({ max_iterations_left: 0, conversation_history });
    expect(service.fake.requests).toHaveLength(before);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      iterations_remaining: 0,
      new_turns: [],
      updated_conversation_history: conversation_history,
      error: { code: 'iterations_exhausted', retryable: false },
    });
  });

  test('an unreadable action is returned with a correction that the caller can append', async () => {
    service.fake.script({ text: 'Action: read_file(path="a' });
    const { answer } = await sentFor({});
    expect(answer.body).toMatchObject({
      status: 'direct_response_provided',
      thought: null,
      correction: { role: 'user', kind: 'notice' },
      parse: { outcome: 'malformed_action' },
    });
    const history = [...(answer.body.updated_conversation_history ?? [])];
    service.fake.script(answers);
    const { text } = await sentFor({
      conversation_history: answer.body.correction ? [...history, answer.body.correction] : [],
    });
    expect(text).toContain('Your action could not be read');
  });

  const failed = saw('the disk is gone', { toolResult: { success: false, error: 'x', terminal: true } });
  const terminalRule = 'The last tool failed in a way that ends this run';

  test('the step after a terminal error asks for an answer and proposes no action', async () => {
    service.fake.script(acts);
    const { text, answer } = await sentFor({
      user_query: '',
      conversation_history: [user('q'), call('a'), failed],
    });
    expect(text).toContain(terminalRule);
    expect(answer.body.status).toBe('direct_response_provided');
  });

  test('the step after a terminal error proposes no action, even if another call succeeded', async () => {
    service.fake.script(acts);
    const parallel = [{ ...call('a', 'one') }, { ...call('b', 'two'), content: '' }];
    const { answer } = await sentFor({
      user_query: '',
      conversation_history: [user('q'), ...parallel, { ...failed, toolCallId: 'one' }, saw('fine')],
    });
    expect(answer.body.status).toBe('direct_response_provided');
  });

  test('a new task after a terminal error may use tools again', async () => {
    service.fake.script(acts);
    const { text, answer } = await sentFor({
      user_query: 'Try another file.',
      conversation_history: [user('q'), call('a'), failed, said('It failed.')],
    });
    expect(text).not.toContain(terminalRule);
    expect(answer.body.status).toBe('action_proposed');
  });

  test('in a phase, <think> text is returned as `reasoning` and is part of neither the thought nor the history', async () => {
    service.fake.script({ text: '<think>secret</think>I plan.\n{"plan": "p", "finish": false}' });
    const { answer } = await sentFor({ phase: 'reason' });
    expect(answer.body).toMatchObject({
      status: 'phase_completed',
      thought: 'I plan.',
      reasoning: 'secret',
      iterations_remaining: 5,
      control: { plan: 'p', finish: false },
    });
    expect(JSON.stringify(answer.body.new_turns)).not.toContain('secret');
  });

  test('signals count the proposed action, and advice about repeated calls is in the prompt but not in the history', async () => {
    service.fake.script(acts);
    const same = [call('a'), saw('x'), call('a'), saw('x'), call('a'), saw('x')];
    const { text, answer } = await sentFor({ user_query: '', conversation_history: [user('q'), ...same] });
    expect(text).toContain('the same call was made 3 times in a row');
    expect(answer.body.signals).toMatchObject({ repeated_action: 4, consecutive_read_only: 4 });
    expect(JSON.stringify(answer.body.updated_conversation_history)).not.toContain('in a row');
  });

  test('should_compact is true once the history nearly fills its share of the token budget', async () => {
    service.fake.script(answers);
    const history = (lines: number) => [user('q'), call('a'), saw('one line of text\n'.repeat(lines))];
    const llm_config = { ...llmConfig('openai'), tokenLimit: 2_000, reservedOutputTokens: 500 };
    const small = await sentFor({ user_query: '', conversation_history: history(10), llm_config });
    expect(small.answer.body.signals?.should_compact).toBe(false);
    const turns = [1, 2, 3, 4].flatMap(() => history(60).slice(1));
    const large = await sentFor({ user_query: '', conversation_history: [user('q'), ...turns], llm_config });
    expect(large.answer.body.signals?.should_compact).toBe(true);
  });
});

describe('the tail of a prompt and the context report (rule: tail)', () => {
  test('the prompt ends with tasks and focus, after the history', async () => {
    service.fake.script(answers);
    const { text } = await sentFor({
      user_query: 'The query.',
      tasks: [{ id: 7, content: 'find it', status: 'in_progress' }],
      implicit_context: { last_focused_file_path: 'a.ts', selection: { start_line: 2, end_line: 2 } },
      inline_context: { files: [{ path: 'a.ts', content: 'one\ntwo\nthree\n' }] },
    });
    const order = ['The query.', '[-] 7. find it', '<focus path="a.ts"'].map((each) => text.indexOf(each));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(text.trimEnd()).toMatch(/<\/focus [0-9a-f]+>$/);
  });

  test('a token limit above the context window gives a warning (rule: prompt-budget)', async () => {
    service.fake.script(answers);
    const { answer } = await sentFor({ llm_config: { ...llmConfig('openai'), tokenLimit: 1_000_000 } });
    expect(answer.status).toBe(200);
    expect(answer.body.warnings.map(({ code }) => code)).toContain('token_limit_above_window');
  });

  test('include.report selects the full report, a summary or none', async () => {
    service.fake.script(answers);
    const request: Partial<StepRequestInput> = {
      explicit_context_paths: ['src', 'missing.ts'],
      inline_context: { files: [{ path: 'src/a.ts', content: 'one\n' }] },
    };
    const reportOf = async (report?: 'full' | 'summary' | 'none') =>
      (await sentFor({ ...request, include: { report } })).answer.body.context_report;
    const full = await reportOf('full');
    const summary = await reportOf();
    expect(await reportOf('none')).toBeNull();
    expect(full?.items.some(({ status }) => status === 'included')).toBe(true);
    expect(summary?.items.map(({ id, status }) => [id, status])).toEqual([['missing.ts', 'unavailable']]);
    expect(summary?.folders).toEqual([{ path: 'src', files: 1, included: 1 }]);
    expect(await reportOf('summary')).toEqual(summary);
    expect(full?.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(full?.prompt_tokens);
  });
});

/** A run of one letter is the slowest text to tokenize; counting this one takes seconds. */
const slowHistory = [user('q'), call('a'), saw('a'.repeat(3_900_000))];
const briefly = { ...llmConfig('openai'), tokenLimit: 2_000_000, deadlineMs: 500 };

describe('the deadline interrupts counting and fitting (rule: one-deadline)', () => {
  test.each([
    '/api/agent/react_step',
    '/api/agent/context_preview',
    '/api/agent/compact_history',
  ])('the deadline of 500 ms interrupts %s while it counts', async (path) => {
    const before = service.fake.requests.length;
    const request = stepRequest({
      user_query: '',
      conversation_history: slowHistory,
      llm_config: briefly,
    });
    const compaction = { ...request, target_tokens: 100, strategy: 'mask' };
    const answer = await service.post(path, path.endsWith('compact_history') ? compaction : request);
    expect([answer.status, answer.body.error?.code]).toEqual([504, 'upstream_timeout']);
    expect(service.fake.requests).toHaveLength(before);
  }, 30_000);
});
