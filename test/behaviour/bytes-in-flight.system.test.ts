import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../src/offline/fake-provider.js';
import { scrape } from '../support/scrape.js';
import { type ServiceProcess, startServiceProcess, upstreamsAt } from '../support/service-process.js';
import { until } from '../support/until.js';
import { stepRequest } from '../support/whole-service.js';

jest.setTimeout(180_000);

const BODY_BYTES = 3_800_000;
const line = 'export const total = items.reduce((sum, item) => sum + item.price, 0);\n';
const textOf = (bytes: number): string => line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes);

/** Bodies of 3.8 MB that take memory in different ways. */
const bodies = {
  'many files': JSON.stringify(
    stepRequest({
      inline_context: {
        files: Array.from({ length: 40 }, (_, index) => ({
          path: `src/file-${index}.ts`,
          content: textOf(BODY_BYTES / 42),
        })),
      },
    }),
  ),
  'a long history': JSON.stringify(
    stepRequest({
      conversation_history: Array.from({ length: 4_000 }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: textOf(900),
      })),
    }),
  ),
  'long turns': JSON.stringify(
    stepRequest({
      conversation_history: Array.from({ length: 4 }, () => ({
        role: 'assistant' as const,
        content: textOf(BODY_BYTES / 4.2),
      })),
    }),
  ),
};

let fake: FakeProvider;
let service: ServiceProcess;
beforeAll(async () => {
  fake = await startFakeProvider({ text: 'Final Answer: 42', delayMs: 3_000 });
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

async function post(body: string): Promise<{ status: number; code: string; retryAfter: string | null }> {
  const response = await fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body,
  });
  const { error } = (await response.json()) as { error: { code: string } | null }; // the contract's body
  return {
    status: response.status,
    code: error?.code ?? 'none',
    retryAfter: response.headers.get('retry-after'),
  };
}

test.each(
  Object.entries(bodies),
)('45 concurrent requests of 3.8 MB with %s do not end a process with a heap of 512 MB; the excess gets 503 (rule: overload)', async (_, body) => {
  const answers = await Promise.all(Array.from({ length: 45 }, () => post(body)));
  const refused = answers.filter(({ code }) => code === 'overloaded');
  const rest = answers.filter(({ code }) => code !== 'overloaded');
  expect(refused.length).toBeGreaterThan(20);
  expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(
    new Set(['503 1']),
  );
  expect(new Set(rest.map(({ status, code }) => `${status} ${code}`))).toEqual(new Set(['200 none']));
  const after = await scrape(service.url);
  expect(after.sum('stepwise_overload_refusals_total', { cause: 'bytes_in_flight' })).toBeGreaterThan(20);
  await until(async () => (await scrape(service.url)).sum('stepwise_bytes_in_flight', {}) === 0);
});
