import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TurnInput } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { streamStep } from '../support/stream-step.js';
import {
  llmConfig,
  startWholeService,
  stepRequest,
  type VendorName,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const vendorNames = Object.keys(vendors) as VendorName[];
const tools = [
  { name: 'read_file', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
];

const lastPrompt = (): string => service.fake.requests.at(-1)?.rawBody ?? '';

/** Returns the history of a step for the next request. */
const historyOf = (step: Step): TurnInput[] => (step.updated_conversation_history ?? []) as TurnInput[];

const postText = (body: string): Promise<Response> =>
  fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

/** Returns a step without the values that differ between two responses to the same request. */
const comparable = (step: Step): unknown =>
  JSON.parse(
    JSON.stringify(step, (key, value) => (key === 'timestamp' || key === 'request_id' ? '' : value)),
  );

describe.each(vendorNames)('a step with a model of %s', (vendor) => {
  const request = (changes: Partial<StepRequestInput> = {}): Partial<StepRequestInput> => ({
    llm_config: llmConfig(vendor),
    tools,
    ...changes,
  });

  /** Makes a plain and a streamed step. Asserts that both have the same result, and returns the plain one. */
  async function step(reply: ScriptedCompletion, changes: Partial<StepRequestInput> = {}): Promise<Step> {
    service.fake.script(reply);
    const { status, body } = await service.step(request(changes));
    expect(status).toBe(200);
    const streamed = await streamStep(service, request(changes));
    expect(comparable(streamed.step)).toEqual(comparable(body));
    return body;
  }

  const labelled: [string, string][] = [
    ['a thought and an action', 'Thought: I look.\nIn two lines.\nAction: read_file(path="a.ts")'],
    [
      'a thought and an answer',
      'Thought: I know.\nFinal Answer: It is **there**.\n\n```ts\nAction: f()\n```',
    ],
    ['an answer alone', 'Final Answer: 42'],
    ['an action alone', 'Action: read_file(path="Final Answer: no")'],
    ['reasoning before labels', '<think>Action: read_file(path="x")</think>Thought: So.\nFinal Answer: Yes.'],
    ['an action and what follows it', 'Thought: a\nAction: read_file(path="a")\nObservation: made up'],
  ];

  test.each(
    labelled,
  )('the joined deltas equal the final fields: %s (rule: deltas-join)', async (_what, text) => {
    service.fake.script({ text });
    const { step: final, joined } = await streamStep(service, request());
    expect([joined('thought'), joined('answer')]).toEqual([final.thought ?? '', final.direct_response ?? '']);
    expect(joined('draft')).toBe('');
    expect(joined('reasoning')).toBe(final.reasoning ?? '');
    const told = ['thought', 'answer', 'draft'].map((kind) => joined(kind as 'thought')).join('');
    expect(told).not.toMatch(/Thought:|Observation|<\/?think/);
  });

  test('prose without a label is streamed as a draft and becomes the answer (rule: draft-role)', async () => {
    service.fake.script({ text: 'There is no label here, only prose that goes on for a while.' });
    const { step: final, joined } = await streamStep(service, request());
    expect(joined('draft')).toBe(final.direct_response);
    expect(final).toMatchObject({ status: 'direct_response_provided', thought: null });
  });

  describe('an unreadable reply is a malformed action, not an error (rule: unreadable-action)', () => {
    test.each([
      ['malformed_action', 'Thought: hm\nAction: read_file(path="a'],
      ['unknown_tool', 'Thought: hm\nAction: remove_all(path="a")'],
    ])('the next step accepts the appended correction after %s', async (outcome, text) => {
      const body = await step({ text });
      expect(body).toMatchObject({
        status: 'direct_response_provided',
        thought: null,
        action_details: null,
        error: null,
        correction: { role: 'user', kind: 'notice' },
      });
      expect(body.parse?.outcome).toBe(outcome);
      expect(body.parse?.problem).toBeTruthy();
      expect(body.direct_response).toContain('Action:');
      const conversation_history = [...historyOf(body), body.correction as TurnInput]; // cast: the correction is not null
      const again = await step({ text: 'Final Answer: Sorry.' }, { user_query: '', conversation_history });
      expect(again.direct_response).toBe('Sorry.');
      expect(lastPrompt()).toContain('could not be read');
    });
  });

  describe('the last iteration (rule: last-iteration)', () => {
    const last = { max_iterations_left: 1 } as const;

    test('at the last iteration an action is not proposed, and the answer is a fixed sentence with the prose before the action', async () => {
      const body = await step({ text: 'Thought: It is in a.ts.\nAction: read_file(path="a.ts")' }, last);
      expect(body).toMatchObject({
        status: 'direct_response_provided',
        direct_response: 'The step limit was reached before there was an answer.\n\nIt is in a.ts.',
        action_details: null,
        warnings: [
          { code: 'action_withheld', message: expect.stringMatching(/read_file.*on_last_iteration/) },
        ],
        iterations_remaining: 0,
        signals: { last_iteration: true },
      });
      expect(body.parse?.outcome).toBe('action_after_limit');
      expect(historyOf(body).at(-1)?.toolCall ?? null).toBeNull();
    });

    test('at the last iteration an action without prose gives a fixed answer about the step limit', async () => {
      const body = await step({ text: 'Action: read_file(path="a.ts")' }, last);
      expect(body.direct_response).toMatch(/limit/);
    });
  });

  test('after a terminal error the step asks for an answer and proposes no action (rule: terminal-observation)', async () => {
    const body = await step(
      { text: 'Thought: I cannot go on.\nAction: read_file(path="b")' },
      {
        user_query: '',
        conversation_history: [
          { role: 'user', content: 'Read it.' },
          { role: 'assistant', content: '', toolCall: { name: 'read_file', parameters: { path: 'a' } } },
          {
            role: 'tool_observation',
            content: '',
            toolResult: { success: false, error: 'gone', terminal: true },
          },
        ],
      },
    );
    expect([body.direct_response, body.parse?.outcome]).toEqual(['I cannot go on.', 'action_after_limit']);
  });

  describe('outcomes of a billed reply (rule: billed-outcomes)', () => {
    test.each<[string, ScriptedCompletion, string | null]>([
      ['upstream_refusal', { refusal: 'I will not.' }, 'I will not.'],
      [
        'output_truncated',
        { text: 'Thought: so\nAction: read_file(path="ca', finishReason: 'length' },
        'Action: read_file(path="ca',
      ],
      ['empty_response', { text: '' }, null],
    ])('a billed reply that ends with %s returns 200 with usage, uses up an iteration and keeps the partial text', async (code, reply, partial) => {
      const body = await step(reply, { conversation_history: [{ role: 'user', content: 'before' }] });
      expect([body.status, body.error?.code, body.iterations_remaining]).toEqual(['error', code, 4]);
      if (partial === null) expect(body.error?.partial_text).toBeNull();
      else expect(body.error?.partial_text).toContain(partial);
      expect(body.usage?.input_tokens).toBeGreaterThan(0);
      expect(body.context_report?.prompt_tokens).toBeGreaterThan(0);
      expect(body.new_turns).toEqual([]);
      expect(historyOf(body)).toEqual([{ role: 'user', content: 'before' }]);
    });

    test('an answer that the output limit cut off is returned with a warning', async () => {
      const body = await step({ text: 'Final Answer: It is in the', finishReason: 'length' });
      expect(body).toMatchObject({
        status: 'direct_response_provided',
        direct_response: 'It is in the',
        finish_reason: 'length',
        error: null,
      });
      expect(body.warnings).toHaveLength(1);
    });
  });

  describe('steps of three phases (rule: phases)', () => {
    const said = (control: object): string => `I look at it.\n\n${JSON.stringify(control)}`;

    test('a run goes through reason, act and observe, with its history sent back each time', async () => {
      const plan = { plan: 'read a.ts', tools_to_consider: ['read_file'], finish: false };
      const reason = await step({ text: said(plan) }, { phase: 'reason' });
      expect(reason).toMatchObject({
        status: 'phase_completed',
        phase: 'reason',
        thought: 'I look at it.',
        iterations_remaining: 5,
        control: plan,
      });
      const act = await step(
        { text: 'Thought: now\nAction: read_file(path="a.ts")' },
        { phase: 'act', user_query: '', conversation_history: historyOf(reason) },
      );
      expect(act).toMatchObject({ status: 'action_proposed', phase: 'act', iterations_remaining: 5 });
      const conversation_history = [
        ...historyOf(act),
        {
          role: 'tool_observation' as const,
          content: 'the total',
          toolCallId: act.action_details?.id ?? null,
        },
      ];
      const seen = { observation: 'found', should_continue: true, final_answer: null };
      const observe = await step(
        { text: said(seen) },
        { phase: 'observe', user_query: '', conversation_history },
      );
      expect(observe).toMatchObject({ status: 'phase_completed', iterations_remaining: 4, control: seen });
      const done = { observation: 'found', should_continue: false, final_answer: 'In a.ts.' };
      const answer = await step(
        { text: said(done) },
        { phase: 'observe', user_query: '', conversation_history: historyOf(observe) },
      );
      expect(answer).toMatchObject({ status: 'direct_response_provided', direct_response: 'In a.ts.' });
    });

    test('a streamed phase shows the prose and never the control block', async () => {
      service.fake.script({ text: said({ plan: 'p', tools_to_consider: [], finish: true }) });
      const { step: final, joined } = await streamStep(service, request({ phase: 'reason' }));
      expect(final.control?.finish).toBe(true);
      expect((joined('draft') + joined('thought') + joined('answer')).trim()).toBe('I look at it.');
    });

    test('a phase reply with malformed control JSON completes the phase with finish: false, so the run continues', async () => {
      const body = await step({ text: 'Prose. {"plan": ' }, { phase: 'reason' });
      expect(body).toMatchObject({ status: 'phase_completed', control: { finish: false } });
    });

    test('a text without an action completes the act phase', async () => {
      const body = await step({ text: 'Nothing to do here.' }, { phase: 'act' });
      expect([body.status, body.phase]).toEqual(['phase_completed', 'act']);
    });

    test('with one iteration left, the act phase still proposes an action, and the observe phase answers', async () => {
      const last = { max_iterations_left: 1 };
      const act = await step({ text: 'Action: read_file(path="a")' }, { phase: 'act', ...last });
      expect(act.status).toBe('action_proposed');
      const observe = await step({ text: 'All is said.' }, { phase: 'observe', ...last });
      expect([observe.status, observe.direct_response]).toEqual(['direct_response_provided', 'All is said.']);
    });
  });

  describe('reasoning of models (rule: thinking)', () => {
    test('reasoning in a field of its own is streamed as reasoning and counted', async () => {
      const reply = {
        reasoning: 'Action: read_file(path="x")',
        text: 'Final Answer: 42',
        usage: { reasoning: 7 },
      };
      const body = await step(reply);
      expect(body).toMatchObject({ reasoning: reply.reasoning, thought: null, direct_response: '42' });
      expect(body.usage?.reasoning_tokens).toBe(7);
      const { joined } = await streamStep(service, request());
      expect(joined('reasoning')).toBe(reply.reasoning);
    });

    test.each([
      ['closed', '<think>hm, Action: read_file(path="x")</think>\nFinal Answer: 42', '42'],
      ['closed but never opened', 'hm, I wonder.\n</think>\nFinal Answer: 42', '42'],
    ])('<think> text that is %s is reasoning and never an action (rule: thinking)', async (_what, text, answer) => {
      const body = await step({ text });
      expect([body.direct_response, body.thought]).toEqual([answer, null]);
      expect(body.reasoning).toMatch(/^hm/);
    });

    test('an unclosed <think> is not read as an action (rule: thinking)', async () => {
      const body = await step({ text: '<think>hm\nAction: read_file(path="x")' });
      expect(body.action_details).toBeNull();
    });
  });

  test('a long file reaches the model unchanged, however its JSON is escaped', async () => {
    const content = `${'// a – b / "c"\\n\t<end>\n'.repeat(400)}the end`;
    const file = { path: 'src/a.ts', content: '' };
    const fields = { explicit_context_paths: [file.path], inline_context: { files: [file] } };
    const body = JSON.stringify(stepRequest(request(fields)));
    const plain = JSON.stringify(content);
    const otherEscapes = plain.replaceAll('–', '\\u2013').replaceAll('/', '\\/').replaceAll('a', '\\u0061');
    const twice = `${JSON.stringify('another '.repeat(1_000))},"content":${plain}`;
    const seen: string[] = [];
    service.fake.script({ text: 'Final Answer: 42' });
    for (const json of [plain, otherEscapes, twice]) {
      const sent = body.replace('"content":""', () => `"content":${json}`);
      const { status } = await postText(sent);
      expect(status).toBe(200);
      seen.push(JSON.stringify(JSON.parse(lastPrompt()).messages));
    }
    expect(seen[0]).toContain(plain.slice(1, -1));
    expect(seen.slice(1)).toEqual([seen[0], seen[0]]);
  });

  describe('include options of a step (rule: history-returned)', () => {
    const inline_context = { files: [{ path: 'a.ts', content: 'x = 1' }] };
    const asked = { inline_context, explicit_context_paths: ['a.ts', 'gone.ts'] };
    const reply = { text: 'Final Answer: 42' };

    test.each([
      ['full', ['a.ts', 'gone.ts']],
      ['summary', ['gone.ts']],
    ] as const)('include.report %s lists exactly the requested items %j', async (report, ids) => {
      const body = await step(reply, { ...asked, include: { report } });
      const explicit = body.context_report?.items.filter(({ kind }) => kind === 'explicit');
      expect(explicit?.map(({ id }) => id)).toEqual(ids);
    });

    test('a step can omit report and history and return the unparsed reply of the model', async () => {
      const include = { report: 'none', history: false, completion_text: true } as const;
      const body = await step(reply, { ...asked, include });
      expect(body.context_report).toBeNull();
      expect(body.updated_conversation_history).toBeNull();
      expect(body.completion_text).toBe(reply.text);
      expect(body.new_turns).toHaveLength(2);
    });
  });
});
