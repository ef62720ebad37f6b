import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { streamStep } from '../support/stream-step.js';
import { llmConfig, startWholeService, type WholeService } from '../support/whole-service.js';

const answer_schema = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer', minimum: 1 } },
  required: ['path'],
};
const answer = { path: 'src/total.ts', line: 3 };
const json = JSON.stringify(answer);
const tools: StepRequestInput['tools'] = [
  { name: 'search', inputSchema: { type: 'object', properties: { pattern: { type: 'string' } } } },
];

const upstream = (provider: string) => ({ ...llmConfig('openai'), provider, modelName: 'any' });
const wires = {
  chat: upstream('chat'),
  responses: upstream('responses'),
  messages: { ...llmConfig('anthropic'), provider: 'messages' },
} as const;
type Wire = keyof typeof wires;
const wireNames = Object.keys(wires) as Wire[];

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(
    {},
    {
      UPSTREAMS: JSON.stringify({
        chat: { url: 'FAKE_URL/v1', keyRequired: false },
        responses: { url: 'FAKE_URL/v1', wire: 'responses', keyRequired: false },
        messages: { url: 'FAKE_URL', wire: 'messages', keyRequired: false },
        ollama: { url: 'FAKE_URL/v1', keyRequired: false, structured: 'json_schema' },
        llama: { url: 'FAKE_URL/v1', keyRequired: false, structured: 'llama' },
      }),
    },
  );
});
afterAll(() => service.close());

const lastBody = () => service.fake.requests.at(-1)?.body ?? {};
const promptText = () => JSON.stringify(lastBody());

/** Replies that contain an answer, in the form of each protocol. */
const replies = {
  text: (written: string) => `Thought: seen.\nFinal Answer: ${written}`,
  xml: (written: string) => `Seen.\n<final_answer>${written}</final_answer>`,
  json: (written: string) => `{"thought": "seen", "final_answer": ${written}}`,
  native: (written: string) => written,
} as const;
type Protocol = keyof typeof replies;
const protocols = Object.keys(replies) as Protocol[];

const cases = wireNames.flatMap((wire) => protocols.map((protocol) => [wire, protocol] as const));

describe.each(cases)('typed answers over %s in protocol %s', (wire, protocol) => {
  const request = { protocol, tools, answer_schema, llm_config: wires[wire] } as const;

  test.each([
    ['in the middle of a run', 5],
    ['in the last step', 1],
  ] as const)(`an answer that fits its schema is returned in \`answer\` over ${wire} in ${protocol}, plain and streamed, %s (rule: typed-answers)`, async (_, left) => {
    service.fake.script({ text: replies[protocol](json) });
    const { body } = await service.step({ ...request, max_iterations_left: left });
    const expected = {
      status: 'direct_response_provided',
      answer,
      direct_response: json,
      correction: null,
      parse: { outcome: 'answer', problem: null },
    };
    expect(body).toMatchObject(expected);
    const { step } = await streamStep(service, { ...request, max_iterations_left: left });
    expect(step).toMatchObject(expected);
  });

  test(`an answer that does not fit its schema is reported as answer_mismatch over ${wire} in ${protocol}, plain and streamed, if the upstream ignores the schema (rule: typed-answers)`, async () => {
    for (const written of ['{"path": 7}', '[]', '{"path": "a", "line": 0}']) {
      service.fake.script({ text: replies[protocol](written) });
      for (const step of [(await service.step(request)).body, (await streamStep(service, request)).step]) {
        expect(step).toMatchObject({
          status: 'direct_response_provided',
          answer: null,
          direct_response: written,
          parse: { outcome: 'answer', problem: expect.stringContaining('does not fit answer_schema') },
          correction: { role: 'user', kind: 'notice', content: expect.stringContaining('some path') },
          warnings: expect.arrayContaining([expect.objectContaining({ code: 'answer_mismatch' })]),
        });
      }
    }
  });

  test(`the prompt over ${wire} in ${protocol} describes the answer schema only if the request has one`, async () => {
    service.fake.script({ text: replies[protocol](json) });
    await service.step(request);
    expect(promptText()).toContain('A program reads the');
    const { answer_schema: _, ...untyped } = request;
    const { body } = await service.step(untyped);
    expect(promptText()).not.toContain('A program reads the');
    expect(body.answer).toBeNull();
  });
});

describe('typed answers with native calling', () => {
  const request = { protocol: 'native', tools, answer_schema } as const;

  test.each([
    ['openai', 'response_format'],
    ['anthropic', 'output_config'],
  ] as const)('with native calling, the vendor %s gets the answer schema in its own format beside the tools (rule: typed-answers)', async (vendor, field) => {
    const written = vendor === 'openai' ? { path: 'src/total.ts', line: 3 } : answer;
    service.fake.script({ text: JSON.stringify(written) });
    const { body } = await service.step({ ...request, llm_config: llmConfig(vendor) });
    expect(body).toMatchObject({ answer, parse: { confidence: 'constrained' } });
    expect(lastBody()).toMatchObject({ [field]: expect.anything(), tools: [expect.anything()] });
  });

  test('a list answer is unwrapped if the vendor’s schema required an object around it (rule: typed-answers)', async () => {
    service.fake.script({ text: '{"answer": ["a", "b"]}' });
    const list = { type: 'array', items: { type: 'string' } };
    const { body } = await service.step({ ...request, answer_schema: list });
    expect(body.answer).toEqual(['a', 'b']);
  });

  test('an optional property is absent from the answer if the model wrote null because the vendor’s schema required it', async () => {
    service.fake.script({ text: '{"path": "a", "line": null}' });
    const { body } = await service.step(request);
    expect(body.answer).toEqual({ path: 'a' });
  });

  test('a vendor that cannot enforce a schema beside tools gets a reserved tool, whose call is the answer (rule: typed-answers)', async () => {
    for (const provider of ['ollama', 'llama', 'chat']) {
      service.fake.script({ toolCalls: [{ name: 'final_answer', arguments: { answer } }], text: 'Seen.' });
      const asked = { ...request, llm_config: upstream(provider) };
      const { body } = await service.step(asked);
      expect(body).toMatchObject({
        status: 'direct_response_provided',
        answer,
        thought: 'Seen.',
        action_details: null,
        new_turns: [{ role: 'user' }, { role: 'assistant', content: json }],
      });
      expect(lastBody()['response_format']).toBeUndefined();
      const streamed = await streamStep(service, asked);
      expect([streamed.joined('answer'), streamed.step.answer]).toEqual([json, answer]);
    }
  });

  test('the reserved tool gets another name if an offered tool is called final_answer', async () => {
    service.fake.script({ toolCalls: [{ name: 'final_answer', arguments: { pattern: 'x' } }] });
    const own = [{ name: 'final_answer', inputSchema: { type: 'object' } }];
    const asked = { ...request, tools: own, llm_config: upstream('chat') };
    const { body } = await service.step(asked);
    expect(body).toMatchObject({
      status: 'action_proposed',
      action_details: { tool_name: 'final_answer', tool_args: { pattern: 'x' } },
    });
    expect(lastBody()['tools']).toMatchObject([{}, { function: { name: 'final_answer_2' } }]);
  });

  test('in the last step, a vendor that cannot enforce a schema beside tools gets tool_choice none and the schema', async () => {
    service.fake.script({ text: json });
    const asked = { ...request, max_iterations_left: 1, llm_config: upstream('ollama') };
    const { body } = await service.step(asked);
    expect(body.answer).toEqual(answer);
    expect(lastBody()).toMatchObject({ tool_choice: 'none', response_format: { type: 'json_schema' } });
  });

  test('an action is proposed even if the request has an answer_schema', async () => {
    service.fake.script({ toolCalls: [{ name: 'search', arguments: { pattern: 'x' } }] });
    const { body } = await service.step(request);
    expect(body).toMatchObject({ status: 'action_proposed', answer: null, parse: { outcome: 'action' } });
  });
});

describe('typed answers in phases', () => {
  const controls = { thought: 'Seen.', observation: 'o', should_continue: false };

  test.each([
    ['json', JSON.stringify({ ...controls, final_answer: answer })],
    ['text', `Seen.\n\`\`\`json\n${JSON.stringify({ ...controls, final_answer: answer })}\n\`\`\``],
    ['xml', `Seen.\n<final_answer>${json}</final_answer>`],
    ['native', `Seen.\n${JSON.stringify({ ...controls, final_answer: answer })}`],
  ] as const)('the phase observe ends with a typed final_answer in %s (rules: typed-answers, phase-control)', async (protocol, text) => {
    const request = {
      protocol,
      tools,
      answer_schema,
      phase: 'observe',
      llm_config: upstream('chat'),
    } as const;
    service.fake.script({ text });
    const { body } = await service.step(request);
    expect(body).toMatchObject({ status: 'direct_response_provided', answer, direct_response: json });
    expect(body.control?.final_answer).toBe(json);
    const { step, joined } = await streamStep(service, request);
    expect(step.answer).toEqual(answer);
    if (protocol === 'json') expect(joined('answer')).toBe(json);
  });

  test('the phase observe may continue the run with null in place of the answer', async () => {
    service.fake.script({
      text: JSON.stringify({ ...controls, should_continue: true, final_answer: null }),
    });
    const { body } = await service.step({ protocol: 'json', tools, answer_schema, phase: 'observe' });
    expect(body).toMatchObject({ status: 'phase_completed', answer: null, correction: null });
  });

  test('a final_answer of the phase observe that does not fit gets a correction with the control fields of the phase', async () => {
    service.fake.script({ text: JSON.stringify({ ...controls, final_answer: { path: 1 } }) });
    const { body } = await service.step({ protocol: 'json', tools, answer_schema, phase: 'observe' });
    expect(body).toMatchObject({
      status: 'direct_response_provided',
      answer: null,
      correction: { content: expect.stringContaining('"should_continue": false') },
    });
  });

  test('the phases reason and act return no typed answer', async () => {
    service.fake.script({ text: `Final Answer: ${json}` });
    for (const phase of ['reason', 'act'] as const) {
      const { body } = await service.step({ tools, answer_schema, phase });
      expect(body).toMatchObject({ status: 'phase_completed', answer: null });
    }
  });
});

test('the field answer is null if the last step answers with the fixed sentence about the step limit (rules: typed-answers, last-iteration)', async () => {
  service.fake.script({ text: 'Action: search(pattern="x")' });
  const { body } = await service.step({ tools, answer_schema, max_iterations_left: 1 });
  expect(body).toMatchObject({
    status: 'direct_response_provided',
    answer: null,
    parse: { outcome: 'action_after_limit' },
  });
});

test('an answer that the output limit cut off is returned as text without a value', async () => {
  for (const [protocol, text] of [
    ['json', '{"thought": "t", "final_answer": {"path": "src/to'],
    ['json', '{"thought": "t", "action": {"final_answer": {"path": "src/to'],
    ['text', 'Final Answer: {"path": "src/to'],
  ] as const) {
    service.fake.script({ text, finishReason: 'length' });
    const { body } = await service.step({ protocol, tools, answer_schema, llm_config: upstream('chat') });
    expect(body).toMatchObject({
      status: 'direct_response_provided',
      answer: null,
      direct_response: '{"path": "src/to',
      finish_reason: 'length',
    });
  }
});

test('null, false and empty values are answers in the JSON protocol (rule: typed-answers)', async () => {
  for (const value of [null, false, 0, '', [], {}]) {
    service.fake.script({ text: JSON.stringify({ thought: 't', final_answer: value }) });
    const request = { protocol: 'json', tools, answer_schema: {}, llm_config: upstream('chat') } as const;
    const { body } = await service.step(request);
    expect(body).toMatchObject({ answer: value, parse: { outcome: 'answer', problem: null } });
  }
});

test('the step succeeds without a typed value and reports a problem if the answer is nested too deeply or has too large a number', async () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  for (const protocol of protocols)
    for (const written of [deep, '123456789012345678901', `{"a":${'9'.repeat(500_000)}}`]) {
      service.fake.script({ text: replies[protocol](written) });
      const request = { protocol, tools, answer_schema: {}, llm_config: upstream('chat') };
      const { status, body } = await service.step(request);
      expect(status).toBe(200);
      expect(body.answer).toBeNull();
      expect(body.parse?.problem).toMatch(/nested|too large|not one JSON/);
    }
});

test('an answer schema that the vendor refuses is still checked by the service, with a warning (rule: constraint-refusal)', async () => {
  const own = await startWholeService({});
  try {
    own.fake.script(({ body }) => {
      if (body['response_format']) throw new Error("Invalid schema for response_format 'reply'");
      return { text: json };
    });
    const { body } = await own.step({ protocol: 'native', tools, answer_schema });
    expect(body).toMatchObject({ answer, warnings: [{ code: 'constraint_dropped' }] });
  } finally {
    await own.close();
  }
});

describe('answer schemas that cannot be used or enforced (rule: answer-schema)', () => {
  const nested = (depth: number): Record<string, unknown> =>
    depth === 0 ? {} : { items: nested(depth - 1) };

  test.each([
    ['an unknown type', { properties: { a: { type: 'strin' } } }, 'answer_schema.properties.a.type'],
    ['a reference to nothing', { $ref: '#/$defs/a' }, 'answer_schema.$ref'],
    ['a remote reference', { items: { $ref: 'https://example.org/a' } }, 'answer_schema.items.$ref'],
    ['an empty list of alternatives', { anyOf: [] }, 'answer_schema.anyOf'],
    ['a property that is no schema', { properties: { a: 1 } }, 'answer_schema.properties.a'],
    ['a bound that is no number', { minLength: '1' }, 'answer_schema.minLength'],
    ['a huge enum', { enum: Array.from({ length: 10_001 }, (_, n) => n) }, 'answer_schema.enum'],
    ['deep nesting', nested(50), 'answer_schema.items.items'],
    [
      'references that multiply',
      {
        $ref: '#/$defs/a0',
        $defs: Object.fromEntries(
          Array.from({ length: 20 }, (_, n) => [
            `a${n}`,
            n === 19
              ? {}
              : {
                  properties: {
                    a: { $ref: `#/$defs/a${n + 1}` },
                    b: { $ref: `#/$defs/a${n + 1}` },
                    c: { $ref: `#/$defs/a${n + 1}` },
                  },
                },
          ]),
        ),
      },
      'answer_schema',
    ],
  ] as const)('an answer schema with %s is refused with 400 and the path of the invalid part', async (_, schema, path) => {
    const { status, body } = await service.step({ answer_schema: schema });
    expect(status).toBe(400);
    expect(body.error).toMatchObject({
      code: 'invalid_request',
      details: [{ path: expect.stringContaining(path), code: 'invalid_answer_schema' }],
    });
  });

  test('the pattern of an answer schema is never run, and a warning says that it is not checked', async () => {
    service.fake.script({ text: `Final Answer: {"a": "${'a'.repeat(50_000)}!"}` });
    const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const { body } = await service.step({ answer_schema: schema });
    expect(body.answer).not.toBeNull();
    expect(body.warnings).toMatchObject([
      {
        code: 'answer_schema_partly_checked',
        message: expect.stringContaining('answer_schema.properties.a.pattern'),
      },
    ]);
  });

  test('an answer schema that no vendor can enforce is only checked by the service, with a warning (rule: typed-answers)', async () => {
    const schema = { type: 'object', patternProperties: { '^a': { type: 'string' } } };
    service.fake.script({
      text: JSON.stringify({ thought: 't', action: { final_answer: '{"abc": "x"}' } }),
    });
    const { body } = await service.step({ protocol: 'json', tools, answer_schema: schema });
    expect(body.answer).toEqual({ abc: 'x' });
    expect(body.warnings.map(({ code }) => code)).toContain('answer_not_constrained');
  });

  test('answer_schema is refused without extensions, because the response would have no field for the answer (rule: source-fields)', async () => {
    const { status, body } = await service.step({ answer_schema, include: { extensions: false } });
    expect(status).toBe(400);
    expect(body.error?.details).toMatchObject([{ path: 'answer_schema', code: 'extensions_required' }]);
  });
});
