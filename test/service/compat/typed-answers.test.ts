import { validate } from '@cfworker/json-schema';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { answersOf } from '../../support/schema-values.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { askerOf, type WireName, type WireRequest, wireNames } from '../../support/wires.js';

const schema = {
  type: 'object',
  properties: { path: { type: 'string' }, line: { type: 'integer', minimum: 1 } },
  required: ['path'],
};
const answer = { path: 'a.ts', line: 3 };
const json = JSON.stringify(answer);
const tools = [
  { name: 'search', schema: { type: 'object', properties: { q: { type: 'string' } }, required: ['q'] } },
];
const full = { 'X-Stepwise-Report': 'full' };

let service: WholeService;
let ask: ReturnType<typeof askerOf>;
beforeAll(async () => {
  service = await startWholeService(
    {},
    {
      UPSTREAMS: JSON.stringify({
        local: { url: 'FAKE_URL/v1', keyRequired: false },
        strict: { url: 'FAKE_URL/v1', keyRequired: false, structured: 'json_schema' },
        loose: { url: 'FAKE_URL/v1', keyRequired: false, structured: 'json_object' },
      }),
    },
  );
  ask = askerOf(service);
});
afterAll(() => service.close());

const lastBody = () => service.fake.requests.at(-1)?.body ?? {};

describe.each(wireNames)('typed answers through %s (rule: compatible-answer-formats)', (wire) => {
  const typed: WireRequest = { text: 'Where?', answerSchema: schema };

  test.each([
    [false],
    [true],
  ])(`an answer that matches the schema is sent through ${wire} as bare JSON, without code fence or label (streamed: %s)`, async (streamed) => {
    const fenced = `Thought: seen.\nFinal Answer:\n\`\`\`json\n${JSON.stringify(answer, null, 2)}\n\`\`\``;
    service.fake.script([{ text: fenced }, { text: `\`\`\`json\n${json}\n\`\`\`` }]);
    const beside = await ask(wire, { ...typed, tools }, streamed);
    expect(beside).toMatchObject({ text: json, calls: [] });
    expect(beside.reasoning).toContain('seen.');
    expect((await ask(wire, typed, streamed)).text).toBe(json);
    expect(JSON.stringify(lastBody())).not.toContain('Final Answer');
  });

  test.each([
    ['tools', tools],
    ['no tools', []],
  ])(`prose around a code fence and reasoning in tags are removed from an answer through ${wire} with %s, without a correction`, async (_, offered) => {
    const fence = '```';
    const texts = [
      `${fence}json\n${json}\n${fence}\nHope it helps!`,
      `Sure:\n${fence}\n${json}\n${fence}\n\nThat is all.`,
      `<think>Is it {x}?</think>\n${json}`,
    ];
    for (const text of texts) {
      const before = service.fake.requests.length;
      service.fake.script({ text });
      expect((await ask(wire, { ...typed, tools: offered }, false)).text).toBe(json);
      expect(service.fake.requests.length - before).toBe(1);
    }
  });

  test.each([
    [false],
    [true],
  ])(`without tools, a label and a thought beside the JSON are removed from an answer through ${wire}, without a correction (streamed: %s)`, async (streamed) => {
    const before = service.fake.requests.length;
    service.fake.script([
      { text: `Final Answer: ${json}` },
      { text: `Thought: seen.\nFinal Answer: ${json}` },
    ]);
    expect((await ask(wire, typed, streamed)).text).toBe(json);
    expect(await ask(wire, typed, streamed)).toMatchObject({ text: json, reasoning: 'seen.' });
    expect(service.fake.requests.length - before).toBe(2);
  });

  test(`an answer with an integer beyond 2^53 goes out through ${wire} with all its digits, without a correction`, async () => {
    const written = '{"path": "a.ts", "line": 12345678901234567890}';
    const before = service.fake.requests.length;
    service.fake.script(() => ({ text: `\`\`\`json\n${written}\n\`\`\`` }));
    for (const request of [typed, { ...typed, tools }])
      for (const streamed of [false, true]) expect((await ask(wire, request, streamed)).text).toBe(written);
    expect(service.fake.requests.length - before).toBe(4);
  });

  test(`a model that must answer with JSON through ${wire} may call a tool first, and its thought is reasoning, because clients parse every text as JSON`, async () => {
    service.fake.script({ text: 'Thought: I look.\nAction: search(q="total")' });
    for (const streamed of [false, true])
      expect(await ask(wire, { ...typed, tools }, streamed)).toMatchObject({
        text: '',
        reasoning: 'I look.',
        calls: [{ name: 'search', args: { q: 'total' } }],
      });
  });

  test.each([
    [false],
    [true],
  ])(`an answer that does not match the schema is corrected once through ${wire}, and the client gets nothing of it (streamed: %s)`, async (streamed) => {
    const before = service.fake.requests.length;
    service.fake.script([{ text: '{"path": 7}' }, { text: json }]);
    expect((await ask(wire, typed, streamed)).text).toBe(json);
    expect(service.fake.requests.length - before).toBe(2);
    expect(JSON.stringify(lastBody())).toMatch(/does not fit/);
  });

  test.each([
    [false],
    [true],
  ])(`if the correction does not match the schema either, ${wire} sends the first answer as written, with a warning (streamed: %s)`, async (streamed) => {
    service.fake.script([{ text: '{"path": 7}' }, { text: 'I do not know.' }]);
    const { text, stepwise, headers } = await ask(wire, { ...typed, headers: full }, streamed);
    expect(text).toBe('{"path": 7}');
    expect(stepwise?.parse.problem).toMatch(/path/);
    expect(stepwise?.warnings.map(({ code }) => code)).toContain('answer_mismatch');
    if (!streamed) expect(headers?.get('x-stepwise-parse')).toBe('answer; problem=answer_mismatch');
  });

  test(`an upstream that can enforce a schema gets one for requests through ${wire}, with and without tools`, async () => {
    service.fake.script({ text: json });
    const { stepwise } = await ask(wire, { ...typed, model: 'strict/m', headers: full });
    expect(lastBody()).toMatchObject({ response_format: { type: 'json_schema' } });
    expect(stepwise?.parse.confidence).toBe('constrained');
    service.fake.script({ text: JSON.stringify({ thought: 't', final_answer: answer }) });
    await ask(wire, { ...typed, tools, model: 'strict/m' });
    expect(lastBody()).toMatchObject({ response_format: { type: 'json_schema' } });
  });

  test(`an upstream that can enforce JSON, but no schema, is asked to enforce JSON for requests through ${wire}`, async () => {
    service.fake.script({ text: json });
    const { text, stepwise } = await ask(wire, { ...typed, model: 'loose/m', headers: full });
    expect(text).toBe(json);
    expect(lastBody()).toMatchObject({ response_format: { type: 'json_object' } });
    expect(stepwise?.parse.confidence).toBe('exact');
  });

  test(`an answer truncated by the output limit has the finish reason that ${wire} uses for this`, async () => {
    service.fake.script({ text: '{"path": "a', finishReason: 'length' });
    const headers = { 'X-Stepwise-Corrections': '0' };
    const { end, text } = await ask(wire, { ...typed, headers });
    expect(text).toBe('{"path": "a');
    expect(end).toBe({ chat: 'length', responses: 'incomplete', messages: 'max_tokens' }[wire]);
  });

  test(`an invalid schema is refused by ${wire} with the path inside the request that the client sent`, async () => {
    const place = {
      chat: 'response_format.json_schema.schema.properties.a.type',
      responses: 'text.format.schema.properties.a.type',
      messages: 'output_config.format.schema.properties.a.type',
    }[wire];
    const answerSchema = { type: 'object', properties: { a: { type: 'text' } } };
    await expect(ask(wire, { ...typed, answerSchema })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(place),
    });
  });

  test(`any value that is valid for its schema is returned equal through ${wire}, and an invalid value always gets the warning answer_mismatch`, async () => {
    const samples = fc.sample(fc.tuple(answersOf('llama'), answersOf('llama')), 40);
    for (const [index, [one, other]] of samples.entries()) {
      const request = {
        ...typed,
        answerSchema: one.schema,
        headers: { ...full, 'X-Stepwise-Corrections': '0' },
        ...(index % 2 === 0 && { tools }),
      };
      service.fake.script({ text: JSON.stringify(one.value) });
      expect(JSON.parse((await ask(wire, request, index % 3 === 0)).text)).toEqual(one.value);
      if (validate(other.value, one.schema, '2019-09').valid) continue;
      service.fake.script({ text: JSON.stringify(other.value) });
      const { stepwise } = await ask(wire, request, index % 3 === 1);
      expect(stepwise?.warnings.map(({ code }) => code)).toContain('answer_mismatch');
    }
  });
});

const objectRequests: readonly (readonly [WireName, object])[] = [
  ['chat', { response_format: { type: 'json_object' } }],
  ['responses', { text: { format: { type: 'json_object' } } }],
  ['chat', { response_format: { type: 'json_schema', json_schema: { name: 'x' } } }],
  // What `Output.json()` of the AI SDK sends through @ai-sdk/open-responses.
  ['responses', { text: { format: { type: 'json_schema', name: 'x', strict: true } } }],
];

describe('JSON without a schema (rule: compatible-answer-formats)', () => {
  test.each(
    objectRequests,
  )('if JSON without a schema is requested through %s with %j, an answer that is no JSON object is corrected', async (wire, fields) => {
    const before = service.fake.requests.length;
    service.fake.script([{ text: 'Here it is: {"a": 1}' }, { text: '```json\n{"a": 1}\n```' }]);
    expect((await ask(wire, { text: 'Give JSON.', fields })).text).toBe('{"a":1}');
    expect(service.fake.requests.length - before).toBe(2);
  });

  test.each(
    objectRequests,
  )('if JSON without a schema is requested through %s with %j, the JSON mode of the upstream is used if it has one', async (wire, fields) => {
    service.fake.script({ text: '{"a": 1}' });
    for (const model of ['strict/m', 'loose/m']) {
      await ask(wire, { text: 'Give JSON.', fields, model });
      expect(lastBody()).toMatchObject({ response_format: { type: 'json_object' } });
    }
  });

  test('json_object with an additional schema, an extension of llama.cpp and others, is checked against that schema', async () => {
    service.fake.script([{ text: '{"path": 7}' }, { text: json }]);
    const fields = { response_format: { type: 'json_object', schema } };
    expect((await ask('chat', { text: 'Give JSON.', fields })).text).toBe(json);
  });

  test('an unknown answer format is refused instead of ignored', async () => {
    const fields = { response_format: { type: 'grammar', grammar: 'x' } };
    await expect(ask('chat', { text: 'x', fields })).rejects.toMatchObject({
      status: 400,
      param: 'response_format.type',
    });
  });
});

test('a response repeats the answer format of the request, as Open Responses demands', async () => {
  service.fake.script({ text: json });
  const format = { type: 'json_schema', name: 'place', schema };
  const response = await fetch(`${service.url}/v1/responses`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'local/m', input: 'Where?', text: { format } }),
  });
  expect(await response.json()).toMatchObject({ text: { format } });
});
