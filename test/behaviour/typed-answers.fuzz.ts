import { validate } from '@cfworker/json-schema';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { answersOf } from '../support/schema-values.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

/** Number of schemas for each protocol and API. `TYPED_TRIALS=1000` takes some minutes. */
const TRIALS = Number(process.env['TYPED_TRIALS'] ?? 40);
const IN_FLIGHT = 16;

const urls = { chat: 'FAKE_URL/v1', responses: 'FAKE_URL/v1', messages: 'FAKE_URL' } as const;
const wires = Object.keys(urls) as (keyof typeof urls)[];
const protocols = ['text', 'xml', 'json', 'native', 'auto'] as const;
type Protocol = (typeof protocols)[number];

let service: WholeService;
const replies = new Map<string, ScriptedCompletion>();
beforeAll(async () => {
  const upstreams = wires.map((wire) => [wire, { url: urls[wire], wire, keyRequired: false }]);
  service = await startWholeService({}, { UPSTREAMS: JSON.stringify(Object.fromEntries(upstreams)) });
  service.fake.script(({ body }) => {
    const [id = ''] = /trial-\d+-end/.exec(JSON.stringify(body)) ?? [];
    return replies.get(id) ?? { text: 'unknown trial' };
  });
});
afterAll(() => service.close());

const samples = fc.sample(answersOf('llama'), TRIALS);

/**
 * Writes an answer in the form that the prompt asks for; with native tool calling alternately as text and as a
 * call of the reserved tool.
 */
function write(protocol: Protocol, json: string, index: number): ScriptedCompletion {
  if (protocol === 'xml') return { text: `Seen.\n<final_answer>${json}</final_answer>` };
  if (protocol === 'json') return { text: `{"thought": "seen", "action": {"final_answer": ${json}}}` };
  if (protocol !== 'native') return { text: `Thought: seen.\nFinal Answer: ${json}` };
  return index % 2 === 0
    ? { text: json }
    : { toolCalls: [{ name: 'final_answer', arguments: { answer: JSON.parse(json) } }] };
}

const tools = [{ name: 'search', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } }];

interface Trial {
  readonly wire: keyof typeof urls;
  readonly protocol: Protocol;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly value: unknown;
}

let count = 0;

async function ask({ wire, protocol, schema, value }: Trial) {
  count += 1;
  const id = `trial-${count}-end`;
  replies.set(id, write(protocol, JSON.stringify(value), count));
  const request: Partial<StepRequestInput> = {
    user_query: id,
    protocol,
    tools,
    answer_schema: schema,
    llm_config: { modelName: 'any', provider: wire, tokenLimit: 32_000, reservedOutputTokens: 1_000 },
  };
  const { status, body } = await service.step(request);
  replies.delete(id);
  expect(status).toBe(200);
  return body;
}

/** Runs trials, a few of them side by side, and returns those that fail. */
async function failing<Item>(
  items: readonly Item[],
  passes: (item: Item) => Promise<boolean>,
): Promise<Item[]> {
  const failed: Item[] = [];
  const waiting = items.values();
  const work = async () => {
    for (const item of waiting) if (!(await passes(item))) failed.push(item);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return failed;
}

const ways = wires.flatMap((wire) => protocols.map((protocol) => [wire, protocol] as const));

test.each(
  ways,
)('any value that fits its answer schema is returned unchanged over %s in protocol %s (rule: typed-answers)', async (wire, protocol) => {
  const failed = await failing(samples, async ({ schema, value }) => {
    const { answer, status, correction } = await ask({ wire, protocol, schema, value });
    return (
      status === 'direct_response_provided' &&
      correction === null &&
      JSON.stringify(answer) === JSON.stringify(value)
    );
  });
  expect(failed).toEqual([]);
});

test.each(
  ways,
)('a value that does not fit its answer schema is never returned as answer over %s in protocol %s (rule: typed-answers)', async (wire, protocol) => {
  const pairs = samples.flatMap(({ schema }, index) => {
    const other = [1, 2, 3, 4, 5, 6, 7].map((step) => samples[(index + step) % samples.length]?.value);
    const value = other.find((each) => each !== undefined && !validate(each, schema, '2019-09').valid);
    return value === undefined ? [] : [{ schema, value }];
  });
  expect(pairs.length).toBeGreaterThan(samples.length / 2);
  const failed = await failing(pairs, async (pair) => {
    const { answer, parse, correction } = await ask({ wire, protocol, ...pair });
    return (
      answer === null && correction !== null && (parse?.problem ?? '').includes('does not fit answer_schema')
    );
  });
  expect(failed).toEqual([]);
});
