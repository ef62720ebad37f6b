import { inspect } from 'node:util';
import { expect, jest, test } from '@jest/globals';
import { faultNames } from '../../../src/offline/faults/faults.js';
import type { FaultName } from '../../../src/offline/wire/reply.js';
import {
  ask,
  canary,
  connect,
  directoryAt,
  failureOf,
  fakeProvider,
  llmConfig,
  patienceOf,
  secretOf,
  ways,
} from '../../support/providers/requests.js';

/** Faults that only the deadline ends. */
const endless: readonly FaultName[] = ['slow-headers', 'stalled-body', 'drip', 'silence'];
const without = (name: FaultName) =>
  !['unsupported-parameter', 'empty-choices', 'huge', 'no-end'].includes(name);

const shapesOf = (key: string) => [
  key,
  JSON.stringify(key).slice(1, -1),
  key.slice(0, 8),
  key.slice(-8),
  Buffer.from(key).toString('base64').slice(0, 20),
];

/** Returns everything of an error that could be printed. */
const everythingOf = (error: unknown): string =>
  [
    inspect(error, { depth: 10, showHidden: true }),
    JSON.stringify(error),
    error instanceof Error ? error.stack : '',
  ].join('\n');

test.each(
  ways,
)('no error contains the key or text of the provider (rule: key-redaction): $title', async (way) => {
  const printed: unknown[] = [];
  for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    jest.spyOn(console, method).mockImplementation((...words) => void printed.push(words));
  }
  const failures = faultNames.filter(without).map(async (fault) => {
    const fake = await fakeProvider({ fault, retryAfter: '0' });
    const deadline = patienceOf(endless.includes(fault) ? 300 : 20_000);
    return failureOf(ask(connect(directoryAt(fake.url), way.model), way, deadline));
  });
  const text = (await Promise.all(failures)).map(everythingOf).join('\n') + inspect(printed);
  jest.restoreAllMocks();
  for (const shape of shapesOf(canary)) expect(text).not.toContain(shape);
  for (const word of ['Incorrect', 'bearer', 'maximum context', 'nginx', 'scripted answer', 'cause']) {
    expect(text).not.toContain(word);
  }
  expect(printed).toEqual([]);
});

test('each of 1,000 concurrent calls sends its own key and prompt and gets its own reply', async () => {
  const fake = await fakeProvider(({ headers, rawBody }) => ({
    text: `${headers['authorization']} ${rawBody.match(/caller \d+/)?.[0]}`,
  }));
  const directory = directoryAt(fake.url);
  const call = async (caller: number) => {
    const key = secretOf(`sk-caller-${caller}-key`);
    const way = ways[caller % ways.length] ?? ways[0];
    const resolved = directory.resolve(llmConfig(way.model));
    if (!resolved) throw new Error('unresolved');
    const { text } = await ask(resolved.connect(key), way, patienceOf(120_000), {
      cacheKey: `session-${caller}`,
      prompt: {
        system: '',
        systemBreakpoint: false,
        messages: [{ role: 'user', parts: [{ type: 'text', text: `I am caller ${caller}.` }] }],
      },
    });
    return text === `Bearer ${key.reveal()} caller ${caller}`;
  };
  const right: boolean[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    right.push(...(await Promise.all(Array.from({ length: 250 }, (_, index) => call(batch * 250 + index)))));
  }
  expect(right.filter((each) => each)).toHaveLength(1_000);
}, 60_000);
