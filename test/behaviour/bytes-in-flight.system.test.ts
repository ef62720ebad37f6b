import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { linux } from '../support/need.js';
import { needs } from '../support/needs.js';
import { scrape } from '../support/scrape.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until } from '../support/until.js';
import { llmConfig, stepRequest } from '../support/whole-service.js';

jest.setTimeout(180_000);

const MIB = 2 ** 20;
const BODY_BYTES = 3_800_000;
const line = 'export const total = items.reduce((sum, item) => sum + item.price, 0);\n';
/** A line that V8 stores with two bytes for each character. */
const wideLine = 'export const größe = 品目.reduce((sum, item) => sum + item.价格, 0); // 合計\n';

/** Returns a text of at most `bytes` bytes. */
const textOf = (bytes: number, unit = line): string =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

const turns = (count: number, contentOf: () => string) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: contentOf(),
  }));
const calls = (count: number, parameters: Record<string, unknown>) =>
  Array.from({ length: count }, () => ({
    role: 'assistant' as const,
    content: '',
    toolCall: { name: 'read_file', parameters },
  }));

/** A token limit within which the whole body fits, so that the prompt is as long as the body. */
const wide = { ...llmConfig('openai'), tokenLimit: 2_000_000 };
const files = Array.from({ length: 40 }, (_, index) => ({
  path: `src/file-${index}.ts`,
  content: textOf(BODY_BYTES / 42),
}));

/** Request bodies that use memory in different ways: of 3.8 MB, or of as much as the service accepts. */
const bodies = {
  'many files': stepRequest({ inline_context: { files } }),
  'a long history': stepRequest({ conversation_history: turns(4_000, () => textOf(900)) }),
  'a long history that fits, of wide characters': stepRequest({
    llm_config: wide,
    conversation_history: turns(4_000, () => textOf(900, wideLine)),
  }),
  'long turns': stepRequest({
    conversation_history: Array.from({ length: 4 }, () => ({
      role: 'assistant' as const,
      content: textOf(BODY_BYTES / 4.2),
    })),
  }),
  'long instructions of wide characters': stepRequest({
    llm_config: wide,
    instructions: textOf(BODY_BYTES * 0.95, wideLine),
  }),
  '144,000 empty objects': stepRequest({ conversation_history: calls(8, { a: Array(18_000).fill({}) }) }),
  '1.2 million empty strings': stepRequest({
    conversation_history: calls(8, { a: Array(150_000).fill('') }),
  }),
};

/** Replies of the scripted provider, by model. */
const replies = {
  'gpt-4o': 'Final Answer: 42',
  /** In JSON, each of these characters takes six bytes. */
  'gpt-4.1': `Final Answer: ${'\u0001'.repeat(MIB - 100)}`,
  'gpt-4.1-mini': `Final Answer: ${'word '.repeat(MIB / 5 - 100)}`,
};
const asking = (modelName: keyof typeof replies, reservedOutputTokens: number) =>
  stepRequest({
    llm_config: { ...wide, modelName, reservedOutputTokens },
    include: { completion_text: true },
  });

let fake: FakeProvider;
let service: ServiceProcess;
beforeAll(async () => {
  fake = await startFakeProvider(({ body }) => ({
    text: replies[body['model'] as keyof typeof replies], // the requests below name no other model
    delayMs: 1_000,
  }));
  service = await startServiceProcess({
    ...upstreamsAt(fake.url),
    NODE_OPTIONS: '--max-old-space-size=512',
    MAX_EVENT_LOOP_LAG_MS: '60000',
    LOG_LEVEL: 'silent',
  });
});
afterAll(async () => {
  await service.kill();
  await fake.close();
});

const unread: IncomingMessage[] = [];
afterEach(async () => {
  for (const response of unread.splice(0)) response.destroy();
  await until(async () => (await scrape(service.url)).sum('stepwise_bytes_in_flight', {}) === 0);
});

interface Sending {
  readonly path?: string;
  /** True for a caller who reads nothing of a successful response. */
  readonly isUnread?: boolean;
}

/** Posts a body. Resolves with the status, the error code and the seconds to wait, such as `503 overloaded 1`. */
function post(
  body: string,
  { path = '/api/agent/react_step', isUnread = false }: Sending = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) };
    httpRequest(service.url + path, { method: 'POST', agent: false, headers })
      .once('response', (response) => {
        const { statusCode } = response;
        if (isUnread && statusCode === 200) {
          unread.push(response.on('error', () => {}).pause());
          return resolve('200 none');
        }
        let text = '';
        response
          .on('data', (chunk) => {
            if (statusCode !== 200) text += chunk;
          })
          .on('error', reject)
          .on('end', () => {
            const code = text === '' ? 'none' : JSON.parse(text).error.code;
            resolve([statusCode, code, response.headers['retry-after']].filter(Boolean).join(' '));
          });
      })
      .once('error', reject)
      .end(body);
  });
}

const overloaded = '503 overloaded 1';
const times = <Value>(count: number, make: () => Value): Value[] => Array.from({ length: count }, make);

describe('bytes in flight with a heap of 512 MB (rule: overload)', () => {
  test.each(
    Object.entries(bodies),
  )('of 45 concurrent requests with %s, some are answered, the excess gets 503, and the process lives', async (_, request) => {
    const body = JSON.stringify(request);
    const answers = await Promise.all(times(45, () => post(body)));
    expect([...new Set(answers)].sort()).toEqual(['200 none', overloaded]);
    expect(answers.filter((answer) => answer === overloaded).length).toBeGreaterThan(20);
  });

  test.each([
    ['300,000 reserved output tokens', 300_000],
    ['1,000 reserved output tokens', 1_000],
  ])('of 60 callers with %s who do not read their long answers, some are served, the rest get 503, and the process lives', async (_, reserved) => {
    const body = JSON.stringify(asking('gpt-4.1', reserved));
    const answers = await Promise.all(times(60, () => post(body, { isUnread: true })));
    expect([...new Set(answers)].sort()).toEqual(['200 none', overloaded]);
  });

  test('under a mix of large bodies, long replies, streams and callers who do not read, the excess gets 503 and the process lives', async () => {
    const long = (['gpt-4.1', 'gpt-4.1-mini'] as const).map((model) =>
      JSON.stringify(asking(model, 300_000)),
    );
    const path = '/api/agent/react_step/stream';
    const mix = [
      ...Object.values(bodies).flatMap((body) => times(4, () => post(JSON.stringify(body)))),
      ...Object.values(bodies).map((body) => post(JSON.stringify(body), { path, isUnread: true })),
      ...long.flatMap((body) => times(10, () => post(body, { isUnread: true }))),
      ...long.flatMap((body) => times(10, () => post(body, { path, isUnread: true }))),
      ...long.flatMap((body) => times(10, () => post(body))),
    ];
    expect([...new Set(await Promise.all(mix))].sort()).toEqual(['200 none', overloaded]);
  });

  needs(
    linux,
  ).test('under the loads of this file, a process with a heap of 512 MB never uses more than 1 GiB of memory', () => {
    expect(service.peakBytes()).toBeGreaterThan(200 * MIB);
    expect(service.peakBytes()).toBeLessThan(1024 * MIB);
  });
});

test('the metrics count refusals because of bytes in flight (rule: metrics)', async () => {
  const after = await scrape(service.url);
  expect(after.sum('stepwise_overload_refusals_total', { cause: 'bytes_in_flight' })).toBeGreaterThan(100);
});
