import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stepSchema } from '../../../src/contract/step.js';
import { anthropicWire } from '../../../src/offline/wire/anthropic-wire.js';
import { openaiWire } from '../../../src/offline/wire/openai-wire.js';
import type { RecordedRequest } from '../../../src/offline/wire/reply.js';
import { responsesWire } from '../../../src/offline/wire/responses-wire.js';
import { anthropicVendor } from '../../../src/service/providers/anthropic/provider.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { openaiVendor, responsesVendor } from '../../../src/service/providers/openai/provider.js';
import { FailedAttempt, invalidAnswer } from '../../../src/service/providers/upstream/attempts.js';
import { readEvents } from '../../../src/service/providers/upstream/read-events.js';
import { readStream } from '../../../src/service/providers/upstream/read-stream.js';
import { type Completion, ProviderError, type ProviderFailure } from '../../../src/service/step/provider.js';
import { collect, readPlain, startReply } from '../../support/providers/requests.js';

const vendors = [
  {
    vendor: openaiVendor(traitsOf('openai', 'gpt-4o')),
    wire: openaiWire,
    title: 'OpenAI',
  },
  {
    vendor: responsesVendor(traitsOf('openai', 'gpt-5.6-sol')),
    wire: responsesWire,
    title: 'OpenAI Responses',
  },
  {
    vendor: anthropicVendor(traitsOf('anthropic', 'x')),
    wire: anthropicWire,
    title: 'Anthropic',
  },
];

const request: RecordedRequest = {
  method: 'POST',
  path: '/',
  headers: {},
  body: { stream_options: { include_usage: true } },
  rawBody: '',
  at: 0,
  ending: null,
  endedAt: null,
  aborted: false,
  ended: Promise.resolve('answered'),
};
const scripted = {
  text: 'Thought: x',
  reasoning: 'hm',
  toolCalls: [{ id: 'c1', name: 'look', arguments: { path: 'a' } }],
};

/** Replaces one value of the JSON. */
function mutated(json: unknown, place: number, value: unknown): unknown {
  let index = 0;
  const visit = (each: unknown): unknown => {
    index += 1;
    if (index === place) return value;
    if (Array.isArray(each)) return each.map(visit);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([key, inner]) => [key, visit(inner)]));
  };
  return visit(json);
}

const anyValue = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom(1e300, -1, 2 ** 40, 'constructor', '__proto__', null, [], {}),
);
const place = fc.integer({ min: 1, max: 60 });

/** Expects that a completion can be used in a step's response. */
function expectUsable({ usage, finishReason, text, reasoning, toolCalls, refusal }: Completion): void {
  expect(stepSchema.shape.usage.safeParse(usage).success).toBe(true);
  expect(stepSchema.shape.finish_reason.safeParse(finishReason).success).toBe(true);
  expect(typeof text).toBe('string');
  for (const each of [reasoning, refusal]) expect(each === null || typeof each === 'string').toBe(true);
  for (const { id, name, arguments: written } of toolCalls) {
    expect([id, name, written].every((each) => typeof each === 'string')).toBe(true);
  }
}

/** Returns the failure that the caller sees; undefined for any other error. */
function failureIn(error: unknown): ProviderFailure | undefined {
  const seen = error instanceof FailedAttempt ? error.failure : error;
  return seen instanceof ProviderError ? seen.failure : undefined;
}

describe.each(vendors)('random responses of $title (rule: error-table)', ({ vendor, wire }) => {
  const expectReadable = (json: unknown): void => {
    const completion = readPlain(vendor, json);
    if (completion) expectUsable(completion);
    const { codes, message } = vendor.readError(JSON.stringify(json) ?? '');
    expect([message, ...codes].every((each) => typeof each === 'string')).toBe(true);
  };

  const source = { provider: 'any', status: 200, signal: new AbortController().signal };
  const eventsIn = (bytes: readonly Uint8Array[]) =>
    readStream({
      provider: 'any',
      events: readEvents(bytes, source),
      ...startReply(vendor, true),
      close: () => {},
      failureOf: () => invalidAnswer('any', 200),
    });

  const readStreamed = async (text: string): Promise<void> => {
    const bytes = [new TextEncoder().encode(text)];
    try {
      const events = await collect(eventsIn(bytes));
      const last = events.at(-1);
      expect(events.filter(({ type }) => type === 'completion')).toHaveLength(1);
      if (last?.type === 'completion') expectUsable(last.completion);
    } catch (error) {
      const failure = failureIn(error);
      if (!failure) throw error;
      expect(['invalid_response', 'unreachable']).toContain(failure);
    }
  };

  test('any JSON is read as a completion or rejected, without an exception', () => {
    fc.assert(fc.property(fc.oneof(fc.jsonValue(), fc.constant(undefined)), expectReadable));
  });

  test('a plain response with one changed value is read as a completion or rejected', () => {
    const whole = JSON.parse(JSON.stringify(wire.plain(scripted, request)));
    fc.assert(
      fc.property(place, anyValue, (where, value) => expectReadable(mutated(whole, where, value))),
      { numRuns: 1_000 },
    );
  });

  test('a stream with one changed value ends with one completion or one failure', async () => {
    const events = [...wire.events(scripted, request)];
    const property = fc.asyncProperty(
      fc.nat(events.length - 1),
      place,
      anyValue,
      async (which, where, value) => {
        const changed = events.map((event, index) =>
          index === which
            ? event.replace(
                /data: (\{.*\})/,
                (_, json) => `data: ${JSON.stringify(mutated(JSON.parse(json), where, value))}`,
              )
            : event,
        );
        await readStreamed(changed.join(''));
      },
    );
    await fc.assert(property, { numRuns: 1_000 });
  });

  test('a stream with lost, repeated or reordered events ends with one completion or one failure', async () => {
    const events = [...wire.events(scripted, request)];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...events), { maxLength: 20 }), async (some) =>
        readStreamed(some.join('')),
      ),
    );
  });
});
