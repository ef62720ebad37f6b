import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anthropicVendor } from '../../../src/service/providers/anthropic/provider.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { openaiVendor } from '../../../src/service/providers/openai/provider.js';
import { inVendorLimits } from '../../../src/service/providers/vendor-limits.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { anyPrompt } from '../../support/providers/prompts.js';
import {
  collect,
  completionRequest,
  connect,
  directoryAt,
  fakeProvider,
  patienceOf,
  toolOf,
  ways,
} from '../../support/providers/requests.js';

const steerable = { ...traitsOf('openai', 'gpt-5.6-sol'), temperature: true, seed: true };
const vendors = {
  'OpenAI with cache breakpoints': openaiVendor(steerable),
  'OpenAI without cache breakpoints': openaiVendor(traitsOf('openai', 'gpt-4o')),
  Anthropic: anthropicVendor(traitsOf('anthropic', 'claude-opus-5')),
};
const replySchema = { type: 'object', properties: {}, additionalProperties: false };

describe.each(Object.entries(vendors))('second requests to %s', (_, vendor) => {
  test('a second request built from the bytes of the first equals one built from the prompt (rule: second-request)', () => {
    const anyRequest = fc.record({
      model: fc.constant('any'),
      prompt: anyPrompt,
      maxOutputTokens: fc.constant(500),
      temperature: fc.constantFrom(undefined, 0),
      seed: fc.constantFrom(undefined, 7),
      reasoningEffort: fc.constantFrom(undefined, 'high' as const),
      promptTokens: fc.constant(20),
      cacheKey: fc.constant('session-1'),
      asks: fc.constantFrom(
        {},
        { replySchema },
        { nativeTools: { definitions: [toolOf('fs.read'), toolOf('fs_read')], choice: 'auto' as const } },
      ),
    });
    fc.assert(
      fc.property(anyRequest, fc.boolean(), fc.nat(), ({ asks, ...plain }, streamed, which) => {
        const request = { ...plain, ...asks };
        const mapped = vendor.mapPrompt(inVendorLimits(request));
        const first = vendor.toRequest(mapped, request, { refused: new Set(), streamed });
        const refusable = [...first.strippable, ...(first.constraint ? [first.constraint.forSchema] : [])];
        const refused = new Set(refusable.slice(which % (refusable.length + 1)).slice(0, 1));
        const bytes = JSON.stringify(first.body);
        const { prompt: __, ...settings } = request;
        const second = vendor.toRequest(JSON.parse(bytes), settings, { refused, streamed });
        const fresh = vendor.toRequest(mapped, request, { refused, streamed });
        expect(JSON.stringify(second.body)).toBe(JSON.stringify(fresh.body));
        expect({ ...second, body: null }).toEqual({ ...fresh, body: null });
      }),
    );
  });
});

test.each(
  ways,
)('$title: while the reply is awaited, only the serialized prompt is kept in memory (rule: lean-waiting)', async (way) => {
  const fake = await fakeProvider({ fault: 'silence' });
  const deadline = patienceOf();
  const provider = connect(directoryAt(fake.url), way.model);
  const { prompt, asked } = start();
  const failed = asked.catch((error: unknown) => error);
  await fake.request(0);
  await nextTurn();
  collectGarbage();
  expect(prompt.deref()).toBeUndefined();
  deadline.interrupt('caller_left');
  expect(await failed).toBe(deadline.signal.reason);

  function start() {
    const request = completionRequest({ model: way.model });
    const asked = way.streamed
      ? collect(provider.stream(request, deadline))
      : provider.complete(request, deadline);
    return { prompt: new WeakRef(request.prompt), asked };
  }
});
