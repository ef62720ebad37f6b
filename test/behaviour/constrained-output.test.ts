import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { streamStep } from '../support/stream-step.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';

const tools: NonNullable<StepRequestInput['tools']> = [
  {
    name: 'files.read',
    description: 'Reads lines of a file.',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        start_line: { type: 'integer', minimum: 1, default: 1 },
        end_line: { type: ['integer', 'null'] },
      },
      required: ['path'],
    },
  },
  { name: 'list_tasks', inputSchema: { type: 'object' } },
];

const local = (name: string) => ({ ...llmConfig('openai'), provider: name, modelName: 'any' });

/**
 * An action and an answer as the strictest schemas require them: an optional argument is null or in a `value` object.
 */
const wrapped = {
  action:
    '{"thought": "Look.", "action": {"tool": "files.read", "args": {"path": "a.ts", "start_line": null, "end_line": {"value": null}}}}',
  answer: '{"thought": "Seen.", "action": {"final_answer": "Line 3."}}',
};
const plain = {
  action:
    '{"thought": "Look.", "action": {"tool": "files.read", "args": {"path": "a.ts", "end_line": null}}}',
  answer: '{"thought": "Seen.", "final_answer": "Line 3."}',
};
const forms = {
  openai: { config: llmConfig('openai'), replies: wrapped, field: 'response_format' },
  anthropic: {
    config: llmConfig('anthropic'),
    replies: { ...plain, answer: wrapped.answer },
    field: 'output_config',
  },
  ollama: { config: local('ollama'), replies: wrapped, field: 'response_format' },
  llama: { config: local('llama'), replies: plain, field: 'response_format' },
  json_object: { config: local('json'), replies: plain, field: 'response_format' },
} as const;
type Form = keyof typeof forms;
const names: readonly Form[] = ['openai', 'anthropic', 'ollama', 'llama', 'json_object'];

const text = { type: 'string' };
const closed = (properties: Record<string, unknown>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const orNull = (schema: unknown) => ({ anyOf: [schema, { type: 'null' }] });
const calling = (name: string, args: unknown) => closed({ tool: { type: 'string', const: name }, args });
const endLine = { anyOf: [{ type: 'integer' }, { type: 'null' }] };
const actions = (startLine: unknown, lastLine: unknown, required: string[]) => [
  calling('files.read', closed({ path: text, start_line: startLine, end_line: lastLine }, required)),
  calling('list_tasks', closed({})),
];
const whole = (branches: unknown[]) =>
  closed({ thought: text, action: { anyOf: [...branches, closed({ final_answer: text })] } });
const everything = ['path', 'start_line', 'end_line'];
const strict = (startLine: unknown) => ({
  type: 'json_schema',
  json_schema: {
    name: 'reply',
    strict: true,
    schema: whole(actions(orNull(startLine), orNull(closed({ value: endLine })), everything)),
  },
});
const optional = actions({ type: 'integer' }, endLine, ['path']);

/** Schemas that the service sends for these tools, by form of the provider's API. */
const expected: Record<Form, unknown> = {
  openai: strict({ type: 'integer', minimum: 1 }),
  ollama: strict({ type: 'integer' }),
  anthropic: { format: { type: 'json_schema', schema: whole(optional) } },
  llama: {
    type: 'json_object',
    schema: {
      anyOf: [
        closed({ thought: text, action: { anyOf: optional } }),
        closed({ thought: text, final_answer: text }),
      ],
    },
  },
  json_object: { type: 'json_object' },
};

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(undefined, {});
});
afterAll(() => service.close());

/** Starts a separate service, so that facts which it learns about a model do not affect other tests. */
async function withService(run: (own: WholeService) => Promise<void>): Promise<void> {
  const own = await serviceWithForms();
  try {
    await run(own);
  } finally {
    await own.close();
  }
}

async function serviceWithForms(): Promise<WholeService> {
  const { url } = service.fake;
  const upstream = (structured?: string) => ({
    url: `${url}/v1`,
    keyRequired: false,
    ...(structured && { structured }),
  });
  const upstreams = {
    ollama: upstream('json_schema'),
    llama: upstream('llama'),
    json: upstream('json_object'),
    free: upstream(),
  };
  return startWholeService(undefined, {
    OPENAI_UPSTREAM_URL: `${url}/v1`,
    ANTHROPIC_UPSTREAM_URL: url,
    UPSTREAMS: JSON.stringify(upstreams),
  });
}

const sentSince = (count: number) => service.fake.requests.slice(count).map(({ body }) => body);
const isHeld = (body: Readonly<Record<string, unknown>>): boolean =>
  body['response_format'] !== undefined || Object(body['output_config']).format !== undefined;

test.each(
  names,
)('a step at the upstream %s sends a schema that the vendor accepts (rule: reply-schema)', async (name) => {
  await withService(async (own) => {
    service.fake.script({ text: forms[name].replies.answer });
    const before = service.fake.requests.length;
    const { body } = await own.step({ protocol: 'json', tools, llm_config: forms[name].config });
    expect(body).toMatchObject({
      status: 'direct_response_provided',
      direct_response: 'Line 3.',
      thought: 'Seen.',
      warnings: [],
    });
    const [sent] = sentSince(before);
    expect(sent?.[forms[name].field]).toEqual(expected[name]);
  });
});

describe.each(names)('replies constrained by a schema: %s', (name) => {
  const { config, replies } = forms[name];
  const confidence = name === 'json_object' ? 'exact' : 'constrained';

  test('an action in a reply constrained by a schema has the intended arguments (rules: reversible-schema, constrained-confidence)', async () => {
    await withService(async (own) => {
      service.fake.script({ text: replies.action });
      const { body } = await own.step({ protocol: 'json', tools, llm_config: config });
      expect(body).toMatchObject({
        status: 'action_proposed',
        action_details: { tool_name: 'files.read', tool_args: { path: 'a.ts', end_line: null } },
        parse: { outcome: 'action', dialect: 'json', confidence, repairs: [], discarded: [] },
      });
      expect(Object.keys(body.action_details?.tool_args ?? {})).toEqual(['path', 'end_line']);
    });
  });

  test('a streamed object reply shows thought and answer and none of its JSON (rule: object-reply)', async () => {
    await withService(async (own) => {
      service.fake.script({ text: replies.answer, chunks: replies.answer.match(/.{1,3}/gs) ?? [] });
      const { joined } = await streamStep(own, { protocol: 'json', tools, llm_config: config });
      expect([joined('draft'), joined('thought'), joined('answer')]).toEqual(['', 'Seen.', 'Line 3.']);
    });
  });

  test('a schema that the vendor refuses is omitted in the retry and in later steps, with a warning (rule: constraint-refusal)', async () => {
    await withService(async (own) => {
      const words =
        name === 'anthropic'
          ? 'output_config.format.schema: Invalid schema: The compiled grammar is too large'
          : "Invalid schema for response_format 'reply': nothing";
      service.fake.script(({ body }) => {
        if (isHeld(body)) throw new Error(words);
        return { text: plain.answer };
      });
      const before = service.fake.requests.length;
      const first = await own.step({ protocol: 'json', tools, llm_config: config });
      const second = await own.step({ protocol: 'json', tools, llm_config: config });
      expect(sentSince(before).map(isHeld)).toEqual([true, false, false]);
      for (const { body } of [first, second]) {
        expect(body).toMatchObject({
          direct_response: 'Line 3.',
          parse: { confidence: 'exact' },
          warnings: [{ code: 'constraint_dropped' }],
        });
      }
      const other = await own.step({ protocol: 'json', tools: tools.slice(1), llm_config: config });
      expect(other.status).toBe(200);
      const isOfSchema = name !== 'json_object';
      expect(sentSince(before).slice(3).map(isHeld)).toEqual(isOfSchema ? [true, false] : [false]);
    });
  });

  test('a model that refuses the schema parameter gets no schema any more (rule: constraint-refusal)', async () => {
    await withService(async (own) => {
      const words =
        name === 'anthropic'
          ? 'output_config.format: Extra inputs are not permitted'
          : "Unsupported parameter: 'response_format' is not supported with this model.";
      service.fake.script(({ body }) => {
        if (isHeld(body)) throw new Error(words);
        return { text: plain.answer };
      });
      const before = service.fake.requests.length;
      await own.step({ protocol: 'json', tools, llm_config: config });
      await own.step({ protocol: 'json', tools: tools.slice(1), llm_config: config });
      expect(sentSince(before).map(isHeld)).toEqual([true, false, false]);
    });
  });

  test('after a rejection without a message, the service retries without the schema and returns the error of a failed retry', async () => {
    await withService(async (own) => {
      service.fake.script(({ body }) => {
        throw new Error(isHeld(body) ? 'Bad Request' : 'really bad');
      });
      const { status, body } = await own.step({ protocol: 'json', tools, llm_config: config });
      expect(status).toBe(422);
      expect(body.error?.details).toMatchObject([{ source: 'provider', message: 'really bad' }]);
    });
  });
});

test('a model without schema support is taught the format in the prompt, and its reply is read', async () => {
  await withService(async (own) => {
    service.fake.script({ text: `\`\`\`json\n${plain.action}\n\`\`\`` });
    const before = service.fake.requests.length;
    const { body } = await own.step({ protocol: 'json', tools, llm_config: local('free') });
    expect(body).toMatchObject({ status: 'action_proposed', parse: { confidence: 'exact' }, warnings: [] });
    expect(sentSince(before).map(isHeld)).toEqual([false]);
  });
});

test('a reply that ignores the accepted schema is not trusted to conform (rule: constrained-confidence)', async () => {
  await withService(async (own) => {
    service.fake.script({ text: 'Thought: t\nAction: files.read(path="a.ts")' });
    const { body } = await own.step({ protocol: 'json', tools });
    expect(body).toMatchObject({
      status: 'action_proposed',
      parse: { dialect: 'call', confidence: 'exact' },
    });
  });
});

describe('the service undoes only its own changes to the argument schema (rule: reversible-schema)', () => {
  const save = {
    name: 'save',
    inputSchema: {
      type: 'object',
      properties: { content: {}, note: { type: ['string', 'null'] }, at: { type: 'string' } },
      required: ['content'],
    },
  };
  const saying = (args: unknown) => JSON.stringify({ thought: 't', action: { tool: 'save', args } });

  test.each([
    { content: '42' },
    { content: 'true' },
    { content: 'x', note: null },
  ])('arguments %j stay as written if the schema was refused or ignored', async (args) => {
    await withService(async (own) => {
      service.fake.script({ text: saying(args) });
      const ignored = await own.step({ protocol: 'json', tools: [save] });
      service.fake.script(({ body }) => {
        if (isHeld(body)) throw new Error('Invalid schema for response_format');
        return { text: saying(args) };
      });
      const refused = await own.step({ protocol: 'json', tools: [save] });
      for (const { body } of [ignored, refused]) {
        expect(body.action_details?.tool_args).toEqual(args);
        expect(body.parse?.confidence).toBe('exact');
      }
    });
  });

  test('in a reply that conforms to the changed schema, arguments are converted back to the tool’s own schema', async () => {
    await withService(async (own) => {
      service.fake.script({ text: saying({ content: '42', note: { value: null }, at: null }) });
      const { body } = await own.step({ protocol: 'json', tools: [save] });
      expect(body.action_details?.tool_args).toEqual({ content: 42, note: null });
      expect(body.parse?.confidence).toBe('constrained');
    });
  });
});

test('protocol `auto` prefers native calls, then a schema, then text (rule: auto-protocol)', async () => {
  await withService(async (own) => {
    service.fake.script({ text: plain.answer });
    const taught = async (llm_config: StepRequestInput['llm_config'], offered = tools) => {
      const before = service.fake.requests.length;
      await own.step({ protocol: 'auto', tools: offered, llm_config });
      const [body] = sentSince(before);
      if (body?.['tools'] !== undefined) return 'native';
      return JSON.stringify(body).includes('one JSON object') ? 'json' : 'text';
    };
    expect(await taught(llmConfig('openai'))).toBe('native');
    expect(await taught(llmConfig('openai'), [])).toBe('json');
    expect(await taught(local('ollama'))).toBe('json');
    expect(await taught(local('json'))).toBe('text');
    expect(await taught(local('free'))).toBe('text');
  });
});

test('if the output limit cuts a reply off, a partial JSON answer is returned and a partial action is not proposed (rule: object-reply)', async () => {
  await withService(async (own) => {
    service.fake.script({
      text: '{"thought": "Seen.", "action": {"final_answer": "Line 3, and',
      finishReason: 'length',
    });
    const cut = await own.step({ protocol: 'json', tools });
    expect(cut.body).toMatchObject({
      direct_response: 'Line 3, and',
      finish_reason: 'length',
      warnings: [{ code: 'answer_truncated' }],
    });
    service.fake.script({ text: wrapped.action.slice(0, 70), finishReason: 'length' });
    const lost = await own.step({ protocol: 'json', tools });
    expect(lost.body).toMatchObject({
      status: 'error',
      thought: 'Look.',
      error: { code: 'output_truncated' },
    });
  });
});

test('a refusal of the model is returned as upstream_refusal with its text', async () => {
  await withService(async (own) => {
    service.fake.script({ text: null, refusal: 'I cannot.' });
    const { body } = await own.step({ protocol: 'json', tools });
    expect(body).toMatchObject({
      status: 'error',
      error: { code: 'upstream_refusal', partial_text: 'I cannot.' },
    });
  });
});

test('an unreadable action is corrected in the format that the prompt taught (rule: unreadable-action)', async () => {
  await withService(async (own) => {
    service.fake.script({ text: '{"thought": "t", "action": {"tool": "files.read", "args": {}}}' });
    const { body } = await own.step({ protocol: 'json', tools, llm_config: local('free') });
    expect(body.parse?.outcome).toBe('malformed_action');
    const example = body.correction?.content.split('\n').at(-1) ?? '';
    expect(JSON.parse(example)).toMatchObject({
      action: { tool: 'files.read', args: { path: expect.any(String) } },
    });
  });
});

test('an escaped NUL is removed from the streamed text and from the result', async () => {
  await withService(async (own) => {
    service.fake.script({ text: '{"thought": "a\\u0000b", "action": {"final_answer": "c\\u0000d"}}' });
    const { step, joined } = await streamStep(own, { protocol: 'json', tools });
    expect([joined('thought'), joined('answer')]).toEqual([step.thought, step.direct_response]);
    expect(step.direct_response).not.toContain('\0');
  });
});

test('a thought that contains JSON like a control block is streamed unchanged (rule: phase-control)', async () => {
  await withService(async (own) => {
    const thought = 'I write {"plan": 1} next.';
    service.fake.script({
      text: JSON.stringify({ thought, plan: 'p', tools_to_consider: [], finish: false }),
    });
    const { step, joined } = await streamStep(own, { protocol: 'json', tools, phase: 'reason' });
    expect(step.thought).toBe(thought);
    expect(joined('thought')).toBe(thought);
  });
});

test('a control object that the output limit cut off ends the step with output_truncated, and its thought is kept (rule: billed-outcomes)', async () => {
  await withService(async (own) => {
    service.fake.script({ text: '{"thought": "I plan.", "plan": "first', finishReason: 'length' });
    const { body } = await own.step({ protocol: 'json', tools, phase: 'reason' });
    expect(body).toMatchObject({ status: 'error', thought: 'I plan.', error: { code: 'output_truncated' } });
  });
});

const controls = {
  reason: { thought: 'I must look.', plan: 'read it', tools_to_consider: ['files.read'], finish: false },
  observe: { thought: 'That is it.', observation: 'line 3', should_continue: false, final_answer: 'Line 3.' },
} as const;

test.each([
  'openai',
  'anthropic',
  'llama',
  'json_object',
] as const)('a phase at the upstream %s sends the schema of its control object (rule: phase-control)', async (name) => {
  await withService(async (own) => {
    const step = async (phase: 'reason' | 'observe') => {
      service.fake.script({ text: JSON.stringify(controls[phase]) });
      return (await own.step({ protocol: 'json', tools, llm_config: forms[name].config, phase })).body;
    };
    const before = service.fake.requests.length;
    expect(await step('reason')).toMatchObject({
      status: 'phase_completed',
      thought: 'I must look.',
      control: { plan: 'read it', finish: false },
    });
    expect(await step('observe')).toMatchObject({
      status: 'direct_response_provided',
      direct_response: 'Line 3.',
      thought: 'That is it.',
    });
    const said =
      name === 'json_object' ? ['json_object', 'json_object'] : ['tools_to_consider', 'should_continue'];
    expect(
      sentSince(before).map((body, index) =>
        JSON.stringify(body[forms[name].field]).includes(said[index] ?? ''),
      ),
    ).toEqual([true, true]);
  });
});

test('the observe phase streams thought and answer of the control object as they are written', async () => {
  await withService(async (own) => {
    const text = JSON.stringify(controls.observe);
    service.fake.script({ text, chunks: text.match(/.{1,4}/gs) ?? [] });
    const { joined } = await streamStep(own, { protocol: 'json', tools, phase: 'observe' });
    expect([joined('draft') + joined('thought'), joined('answer')]).toEqual(['That is it.', 'Line 3.']);
  });
});

describe('an unusable schema gives a warning and the best possible request, never a failed step', () => {
  const many = Array.from({ length: 128 }, (_, index) => ({
    name: `tool.${index}/${'x'.repeat(60)}.é`,
    inputSchema: {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'integer' } },
      required: ['a'],
    },
  }));
  const huge = {
    name: 'huge',
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 2_000 }, (_, index) => [
          `${'property'.repeat(12)}_${index}`,
          { type: 'string' },
        ]),
      ),
      required: [],
    },
  };
  const strange = {
    name: 'strange',
    inputSchema: {
      type: 'object',
      oneOf: [
        { properties: { a: {} }, required: ['a'] },
        { properties: { b: {} }, required: ['b'] },
      ],
    },
  };

  test.each([
    ['128 tools whose names no vendor takes', many, []],
    ['a schema of 200 KB', [...tools, huge], ['arguments_not_constrained']],
    [
      'a tool whose arguments no vendor’s schema can express',
      [...tools, strange],
      ['arguments_not_constrained'],
    ],
  ] as const)('a step succeeds with %s', async (_, offered, expected) => {
    await withService(async (own) => {
      for (const vendor of ['openai', 'anthropic'] as const) {
        service.fake.script({ text: wrapped.answer });
        const before = service.fake.requests.length;
        const llm_config = { ...llmConfig(vendor), tokenLimit: 400_000 };
        const { status, body } = await own.step({ protocol: 'json', tools: offered, llm_config });
        expect(status).toBe(200);
        expect(body.direct_response).toBe('Line 3.');
        const codes = body.warnings
          .map(({ code }) => code)
          // The fake provider counts one token for every four characters, so its counts differ from the service's.
          .filter((code) => !['token_limit_above_window', 'prompt_truncated_upstream'].includes(code));
        expect(codes).toEqual(
          vendor === 'anthropic' && offered === many ? ['arguments_not_constrained'] : expected,
        );
        expect(sentSince(before).map(isHeld)).toEqual([true]); // the fake provider enforces the vendor's limits
      }
    });
  });

  test('a tool whose arguments no schema can express gets them from a JSON object in a string', async () => {
    await withService(async (own) => {
      service.fake.script({
        text: '{"thought": "t", "action": {"tool": "strange", "args": "{\\"a\\": [1]}"}}',
      });
      const { body } = await own.step({ protocol: 'json', tools: [strange] });
      expect(body.action_details).toMatchObject({ tool_name: 'strange', tool_args: { a: [1] } });
    });
  });

  test('tools that are only described in text have constrained names and unconstrained arguments', async () => {
    await withService(async (own) => {
      service.fake.script({
        text: '{"thought": "t", "action": {"tool": "look_up", "args": "{\\"word\\": \\"x\\"}"}}',
      });
      const before = service.fake.requests.length;
      const { body } = await own.step({
        protocol: 'json',
        available_tools_prompt_segment: 'look_up(word): looks a word up',
      });
      expect(body.action_details).toMatchObject({ tool_name: 'look_up', tool_args: { word: 'x' } });
      expect(JSON.stringify(sentSince(before)[0]?.['response_format'])).toContain('"const":"look_up"');
    });
  });
});

test('a schema that the vendor adds to the prompt is counted and reported as an estimate (rule: schema-cost)', async () => {
  await withService(async (own) => {
    const tokensOf = async (llm_config: StepRequestInput['llm_config']) => {
      service.fake.script({ text: plain.answer });
      const { body } = await own.step({ protocol: 'json', tools, llm_config });
      const { counting, sections } = body.context_report ?? {};
      return { counting, tools: sections?.find(({ name }) => name === 'tools')?.tokens ?? 0 };
    };
    const charged = await tokensOf(llmConfig('openai'));
    const free = await tokensOf({ ...local('free') });
    expect(charged.counting).toBe('estimated');
    expect(charged.tools).toBeGreaterThan(free.tools + 100);
  });
});

test('a run may change its protocol at any step with one history (rule: auto-protocol)', async () => {
  await withService(async (own) => {
    const histories: StepRequestInput['conversation_history'][] = [[]];
    const texts = {
      text: 'Thought: Look.\nAction: files.read(path="a.ts")',
      json: wrapped.action,
      xml: 'Look.\n<tool_code><name>files.read</name><parameters>{"path": "a.ts"}</parameters></tool_code>',
    };
    for (const protocol of ['text', 'json', 'xml', 'json'] as const) {
      service.fake.script({ text: texts[protocol] });
      const history = histories.at(-1) ?? [];
      const user_query = history.length === 0 ? 'Where is the total computed?' : '';
      const { body } = await own.step({ protocol, tools, conversation_history: history, user_query });
      expect(body.status).toBe('action_proposed');
      const id = body.action_details?.id;
      histories.push([
        ...(body.updated_conversation_history ?? []),
        { role: 'tool_observation', content: 'found', ...(id && { toolCallId: id }) },
      ]);
    }
    const { messages } = service.fake.requests.at(-1)?.body ?? {};
    const shown = JSON.stringify(messages);
    expect(shown).toContain(
      JSON.stringify('{"thought":"Look.","action":{"tool":"files.read","args":{"path":"a.ts"}}}').slice(
        1,
        -1,
      ),
    );
    expect(shown).not.toContain('Action: files.read');
  });
});
