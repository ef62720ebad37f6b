import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { askerOf, type WireRequest, wireNames } from '../../support/wires.js';

let service: WholeService;
let ask: ReturnType<typeof askerOf>;
beforeAll(async () => {
  service = await startWholeService();
  ask = askerOf(service);
});
afterAll(() => service.close());

const prompt = () => JSON.stringify(service.fake.requests.at(-1)?.body);

const small = {
  name: 'small_tool',
  description: 'Does little. It needs few words.',
  schema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'kept whole' } },
    required: ['path'],
  },
};

/** A tool of the size that is usual for MCP servers, about 360 tokens in text. */
const usual = (index: number) => ({
  name: `create_record_${index}`,
  description: `Creates record ${index}. ${'It has several rules that a caller should know before. '.repeat(10)}`,
  schema: {
    type: 'object',
    properties: Object.fromEntries(
      ['owner', 'labels', 'state', 'body'].map((name) => [
        name,
        {
          type: name === 'labels' ? 'array' : 'string',
          ...(name === 'labels' && { items: { type: 'string', minLength: 2 } }),
          ...(name === 'state' && { enum: ['open', 'closed'] }),
          description: `The ${name} of the record. ${'More words about what may stand there. '.repeat(5)}`,
        },
      ]),
    ),
    required: ['owner', 'state'],
  },
});
const crowd = [small, ...Array.from({ length: 60 }, (_, index) => usual(index))];

const headers = (protocol: string, limit = 8_000) => ({
  'X-Stepwise-Protocol': protocol,
  'X-Stepwise-Token-Limit': String(limit),
  'X-Stepwise-Report': 'full',
});

const call = {
  text: { text: 'Thought: now.\nAction: create_record_7(owner="a", state="open")' },
  json: {
    text: '{"thought":"now","action":{"tool":"create_record_7","args":{"owner":"a","state":"open"}}}',
  },
  native: { toolCalls: [{ name: 'create_record_7', arguments: { owner: 'a', state: 'open' } }] },
} as const;
type Protocol = keyof typeof call;

/** Token limits. The native definition of a tool takes more tokens than its line in a text prompt. */
const limits: Readonly<Record<Protocol, number>> = { text: 8_000, json: 8_000, native: 20_000 };

const signatures: Readonly<Record<Protocol, string>> = {
  text: '- create_record_7(owner, state, labels?, body?): Creates record 7.\\n- create_record_8(',
  json: '- create_record_7(owner, state, labels?, body?): Creates record 7.\\n- create_record_8(',
  native: '"items":{"type":"string"}',
};

describe.each(
  wireNames,
)('more tools than fit into the prompt, through %s (rule: compatible-tools)', (wire) => {
  test.each(
    Object.keys(call) as Protocol[],
  )(`60 typical tools fit into a small %s prompt through ${wire}: the long ones are shortened, but can be called`, async (protocol) => {
    service.fake.script(call[protocol]);
    const request: WireRequest = { text: 'Go.', tools: crowd, headers: headers(protocol, limits[protocol]) };
    const { calls, stepwise } = await ask(wire, request);
    expect(calls).toMatchObject([{ name: 'create_record_7', args: { owner: 'a', state: 'open' } }]);
    expect(prompt()).toContain(signatures[protocol]);
    expect(prompt()).toContain('kept whole');
    expect(prompt()).not.toContain('find_tools');
    expect(stepwise?.context_report.prompt_tokens).toBeLessThan(limits[protocol]);
    const rows = stepwise?.context_report.items.filter(({ kind }) => kind === 'tool') ?? [];
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'truncated'));
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(['create_record_7']));
    expect(rows.map(({ id }) => id)).not.toContain('small_tool');
  });

  test(`through ${wire}, no tool is shortened if all fit, and only some of them are if not`, async () => {
    service.fake.script(call.text);
    const whole = await ask(wire, { text: 'Go.', tools: crowd, headers: headers('text', 128_000) });
    expect(whole.stepwise?.context_report.items.filter(({ kind }) => kind === 'tool')).toEqual([]);
    const some = await ask(wire, { text: 'Go.', tools: crowd, headers: headers('text', 36_000) });
    const rows = some.stepwise?.context_report.items.filter(({ kind }) => kind === 'tool') ?? [];
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.length).toBeLessThan(50);
  });

  test(`the arguments of a shortened tool are checked against its full schema through ${wire}`, async () => {
    service.fake.script({ text: 'Thought: now.\nAction: create_record_7(owner="a", state="ajar")' });
    const { stepwise, calls } = await ask(wire, { text: 'Go.', tools: crowd, headers: headers('text') });
    expect(calls).toMatchObject([{ args: { state: 'ajar' } }]);
    expect(stepwise?.parse.problem).toMatch(/state/);
  });
});
