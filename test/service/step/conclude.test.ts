import { describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { type Conclusion, conclude } from '../../../src/service/step/conclude.js';
import type { Completion } from '../../../src/service/step/provider.js';
import { readReply } from '../../../src/service/step/read-reply.js';
import { readSituation } from '../../../src/service/step/read-situation.js';
import { completionOf } from '../../support/completion.js';
import { profile } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';

const tools: StepRequestInput['tools'] = [
  { name: 'ping', inputSchema: { type: 'object' } },
  {
    name: 'read_file',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string' }, start_line: { type: 'integer', minimum: 1 } },
      required: ['path', 'start_line'],
    },
  },
];

async function concluded(
  text: string,
  fields: Partial<StepRequestInput> = {},
  more: Partial<Completion> = {},
): Promise<Conclusion> {
  const completion = completionOf(text, more);
  const situation = await readSituation(stepRequest({ tools, ...fields }), profile);
  return conclude(await readReply({ completion }, situation), situation);
}

describe('an action that cannot be parsed (rule: unreadable-action)', () => {
  test.each([
    ['text', 'Action: read_file(path="a"', 'Action: read_file(path="some path", start_line=1)'],
    [
      'xml',
      '<tool_code><name>read_file</name><parameters>{"path": 1}</parameters></tool_code>',
      '<tool_code><name>read_file</name><parameters>{"path":"some path","start_line":1}</parameters></tool_code>',
    ],
    ['text', 'Action: reed_file(path="a")', 'Action: ping()'],
  ] as const)('the correction of an unreadable action ends with a sample call in the format that the prompt teaches: %s, %s', async (protocol, text, call) => {
    const { correction, thought, status } = await concluded(text, { protocol });
    expect(status).toBe('direct_response_provided');
    expect(thought).toBeNull();
    expect(correction).toMatchObject({ role: 'user', kind: 'notice' });
    expect(correction?.content.split('\n').at(-1)).toBe(call);
  });

  test('invalid native arguments are corrected with a sample of the called tool', async () => {
    const toolCalls = [{ id: 'x', name: 'read_file', arguments: '{"path": 3}' }];
    const { correction } = await concluded('', { protocol: 'native' }, { toolCalls });
    expect(correction?.content).toContain('read_file({"path":"some path","start_line":1})');
  });

  test.each([
    ['functions.list', 'list({"path":"some path"})'],
    ['default_api.functions.list', 'list({"path":"some path"})'],
    ['functions.http.get', 'ping({})'],
    ['http.get', 'http.get({"url":"some url"})'],
    ['functions.lists', 'ping({})'],
  ])('a correction ignores an unknown namespace before a tool name: %s', async (name, call) => {
    const one = (property: string) => ({
      type: 'object',
      properties: { [property]: { type: 'string' } },
      required: [property],
    });
    const offered = [
      ...tools,
      { name: 'http.get', inputSchema: one('url') },
      { name: 'list', inputSchema: one('path') },
    ];
    const toolCalls = [{ id: 'x', name, arguments: '{}' }];
    const native = await concluded('', { protocol: 'native', tools: offered }, { toolCalls });
    expect(native.correction?.content.split('\n').at(-1)).toBe(call);
    const written = await concluded(`Action: ${name}()`, { tools: offered });
    const [toolName = ''] = call.split('(');
    expect(written.correction?.content.split('\n').at(-1)).toMatch(`Action: ${toolName}(`);
  });

  test.each([
    ['a string beside the name', 'Thought: x\nAction: read_file "a"'],
    ['a call in code', 'Action: await read_file("a", 1)'],
    ['a call without label in the last code fence', 'I read.\n```\nread_file("a", 1)\n```'],
    ['an action after an unclosed <file> tag', '<file path="a">\nAction: read_file("a", 1)'],
  ])('the correction of an unreadable action shows the tool that the reply names: %s', async (_, text) => {
    const { correction } = await concluded(text);
    expect(correction?.content.split('\n').at(-1)).toBe('Action: read_file(path="some path", start_line=1)');
  });

  test('an unreadable action gets no correction if an answer was required', async () => {
    const { correction, outcome } = await concluded('Action: read_file(path="a"', { max_iterations_left: 1 });
    expect([correction, outcome]).toEqual([null, 'malformed_action']);
  });
});

describe('concluding an answer', () => {
  test.each([
    ['So it is.\n\nFinal Answer: 42', 'So it is.'],
    ['Thought: So it is.\nFinal Answer: 42', 'So it is.'],
    ['So it is.\n<final_answer>42</final_answer>', 'So it is.'],
  ])('text before the answer’s label becomes the thought and stays in the history: %j (rule: thought-and-answer)', async (text, thought) => {
    const conclusion = await concluded(text);
    expect(conclusion).toMatchObject({ thought, directResponse: '42', correction: null });
    expect(conclusion.turns).toEqual([{ role: 'assistant', content: '42', thought }]);
  });

  test('an answer that contains an action in a code block also gets a correction (rule: closing-fence)', async () => {
    const text = 'I read the file.\n```\nAction: read_file(path="a", start_line=1)\n```';
    const { outcome, directResponse, correction } = await concluded(text);
    expect([outcome, directResponse]).toEqual(['answer', text]);
    expect(correction?.content).toContain('Action: read_file(path="some path", start_line=1)');
    expect((await concluded(text, { max_iterations_left: 1 })).correction).toBeNull();
  });
});

describe('concluding phases (rules: phases, phase-control)', () => {
  const observe = (text: string, more = {}) => concluded(text, { phase: 'observe', ...more });

  test.each([
    'It is there.\nFinal Answer: 42',
    'It is there.\n<final_answer>42</final_answer>',
    'It is there.\nFinal Answer: 42\n{"observation": "x", "should_continue": true, "final_answer": null}',
    'It is there. {"observation": "x", "should_continue": true, "final_answer": "41"}\nFinal Answer: 42',
    'It is there.\n{"observation": "x", "should_continue": false, "final_answer": "42"}',
  ])('in the phase observe, an answer ends the run, and a labelled answer takes precedence over the control block: %j', async (text) => {
    expect(await observe(text)).toMatchObject({
      status: 'direct_response_provided',
      directResponse: '42',
      thought: 'It is there.',
      control: { should_continue: false, final_answer: '42' },
    });
  });

  test.each([
    'I go on.\n{"observation": "x", "should_continue": false, "final_answer": ""}',
    'I go on. {"observation": "x", "should_continue": true, "final_answer": "42"}',
    'I go on.',
  ])('the phase observe gives no answer if the answer is empty or the control block continues the run: %j', async (text) => {
    expect(await observe(text)).toMatchObject({ status: 'phase_completed', thought: 'I go on.' });
  });

  test('in the last iteration, the phase observe withholds an action, and its answer begins with a note that the limit was reached (rule: last-iteration)', async () => {
    const text = 'I would do:\nAction: read_file(path="a", start_line=1)';
    expect(await observe(text, { max_iterations_left: 1 })).toMatchObject({
      status: 'direct_response_provided',
      outcome: 'action_after_limit',
      directResponse: 'The step limit was reached before there was an answer.\n\nI would do:',
      actions: [],
    });
    const answered = `${text}\n{"should_continue": false, "final_answer": "42"}`;
    expect(await observe(answered, { max_iterations_left: 1 })).toMatchObject({ directResponse: '42' });
  });

  test.each([
    ['malformed_action', 'Action: read_file(path="a'],
    ['malformed_action', 'Action: read_file(path=1, start_line="x")'],
    ['unknown_tool', 'Action: reed_file(path="a")'],
  ])('in the last iteration, the phase observe reports an action that cannot be proposed as %s: %s (rules: unreadable-action, phase-control)', async (outcome, action) => {
    const text = `I see.\n${action}\n{"observation": "x", "should_continue": true}`;
    expect(await observe(text, { max_iterations_left: 1 })).toMatchObject({
      status: 'direct_response_provided',
      outcome,
      directResponse: `I see.\n${action}`,
      correction: null,
      control: { observation: 'x' },
    });
  });

  test('a withheld action in observe keeps the control block in `control` and out of the answer (rule: phase-control)', async () => {
    const text = 'I see.\n{"observation": "x", "should_continue": true}';
    const toolCalls = [{ id: 'x', name: 'ping', arguments: '{}' }];
    const fields = { phase: 'observe', protocol: 'native', max_iterations_left: 1 } as const;
    expect(await concluded(text, fields, { toolCalls })).toMatchObject({
      outcome: 'action_after_limit',
      directResponse: 'The step limit was reached before there was an answer.\n\nI see.',
      control: { observation: 'x' },
    });
  });

  test('an action in observe that the output limit cut off is an error, without the control block in its thought (rules: billed-outcomes, phase-control)', async () => {
    const text = 'I see.\n{"observation": "x", "should_continue": true}';
    const toolCalls = [{ id: 'x', name: 'read_file', arguments: '{"pa' }];
    const fields = { phase: 'observe', protocol: 'native' } as const;
    const conclusion = await concluded(text, fields, { toolCalls, finishReason: 'length' });
    expect(conclusion).toMatchObject({ error: { code: 'output_truncated' }, thought: 'I see.' });
  });

  const conversation_history: StepRequestInput['conversation_history'] = [
    { role: 'user', content: 'Q' },
    { role: 'assistant', content: '', toolCall: { name: 'ping', parameters: {}, id: 'c' } },
    {
      role: 'tool_observation',
      content: 'gone',
      toolCallId: 'c',
      toolResult: { success: false, terminal: true },
    },
  ];

  test('after a permanent tool failure, the phase act completes without the action that the model wrote (rules: phases, terminal-observation)', async () => {
    const text = 'I try again.\nAction: ping()';
    const fields = { phase: 'act', user_query: '', conversation_history } as const;
    const conclusion = await concluded(text, fields);
    expect(conclusion).toMatchObject({
      status: 'phase_completed',
      outcome: 'action_after_limit',
      thought: 'I try again.',
      directResponse: null,
      actions: [],
    });
    expect(conclusion.turns).toEqual([{ role: 'assistant', content: 'I try again.', phase: 'act' }]);
  });

  test('after a permanent tool failure, an empty reply in observe gives an answer about the failure, not about the step limit', async () => {
    const silent = '{"observation": "x", "should_continue": false, "final_answer": ""}';
    expect((await observe(silent, { user_query: '', conversation_history })).directResponse).toBe(
      'A tool failed for good before there was an answer.',
    );
  });

  test('an action is read as prose in the phases reason and observe', async () => {
    const text = 'I would do:\nAction: read_file(path="a", start_line=1)';
    for (const phase of ['reason', 'observe'] as const)
      expect(await concluded(text, { phase })).toMatchObject({
        status: 'phase_completed',
        thought: text,
        actions: [],
      });
  });

  test('native calls in the phases reason and observe are reported as discarded', async () => {
    const toolCalls = [
      { id: 'x', name: 'read_file', arguments: '{"path": "a", "start_line": 1}' },
      { id: 'y', name: 'ping', arguments: '{}' },
    ];
    for (const phase of ['reason', 'observe'] as const) {
      const { status, actions, reply } = await concluded(
        'I look.',
        { phase, protocol: 'native' },
        { toolCalls },
      );
      expect({ status, actions }).toEqual({ status: 'phase_completed', actions: [] });
      expect(reply.parse.discarded).toEqual([{ kind: 'action', chars: 32 }]);
    }
  });

  test('in the phase reason, a reply with an answer label sets the field `finish`', async () => {
    expect(await concluded('All is known.\nFinal Answer: 42', { phase: 'reason' })).toMatchObject({
      status: 'phase_completed',
      directResponse: null,
      thought: 'All is known.\n\n42',
      control: { finish: true },
    });
  });

  test('the phase act may complete without an action, and its thought contains no label (rule: markers)', async () => {
    const conclusion = await concluded('All is known.\nFinal Answer: 42', { phase: 'act' });
    expect(conclusion).toMatchObject({
      status: 'phase_completed',
      directResponse: null,
      thought: 'All is known.\n\n42',
      control: null,
    });
    expect(conclusion.turns[0]?.content).toBe('All is known.\nFinal Answer: 42');
  });

  test('in the last iteration, the phase observe answers with the text it has', async () => {
    const last = { max_iterations_left: 1 };
    expect(await observe('So far.', last)).toMatchObject({ directResponse: 'So far.' });
    expect(
      (await observe('So far.\n{"should_continue": true, "final_answer": "42"}', last)).directResponse,
    ).toBe('42');
    expect((await observe('{"should_continue": true}', last)).directResponse).toMatch(/step limit/);
  });
});
