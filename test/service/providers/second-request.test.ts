import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { anthropicClient, anthropicVendor } from '../../../src/service/providers/anthropic/provider.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { openaiClient, openaiVendor } from '../../../src/service/providers/openai/provider.js';
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

const url = 'http://127.0.0.1:9';
const shared = { key: undefined, name: 'any' };
const vendors = {
  'OpenAI with cache breakpoints': openaiVendor({
    ...shared,
    client: openaiClient(url),
    traits: { ...traitsOf('openai', 'gpt-5.6-sol'), temperature: true, seed: true },
  }),
  'OpenAI without': openaiVendor({
    ...shared,
    client: openaiClient(url),
    traits: traitsOf('openai', 'gpt-4o'),
  }),
  Anthropic: anthropicVendor({
    ...shared,
    client: anthropicClient(url),
    traits: traitsOf('anthropic', 'claude-opus-5'),
  }),
};
const replySchema = { type: 'object', properties: {}, additionalProperties: false };

describe.each(Object.entries(vendors))('%s', (_, vendor) => {
  test('a second request from the bytes of the first is what the first would have been (rule: second-request)', () => {
    const anyRequest = fc.record({
      model: fc.constant('any'),
      prompt: anyPrompt,
      maxOutputTokens: fc.constant(500),
      temperature: fc.constantFrom(undefined, 0),
      seed: fc.constantFrom(undefined, 7),
      reasoningEffort: fc.constantFrom(undefined, 'high' as const),
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
        const first = vendor.draft(vendor.word(request), request, { refused: new Set(), streamed });
        const refusable = [...first.strippable, ...(first.constraint ? [first.constraint.forSchema] : [])];
        const refused = new Set(refusable.slice(which % (refusable.length + 1)).slice(0, 1));
        const bytes = JSON.stringify(first.body);
        const { prompt: __, ...terms } = request;
        const second = vendor.draft({ ...first, long: JSON.parse(bytes) }, terms, { refused, streamed });
        const { ownToolName, ...anew } = vendor.draft(vendor.word(request), request, { refused, streamed });
        expect(JSON.stringify(second.body)).toBe(JSON.stringify(anew.body));
        expect({ ...second, body: null }).toEqual({ ...anew, body: null, ownToolName: first.ownToolName });
      }),
    );
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test.each(
  ways,
)('while $title is awaited, the prompt is held as bytes alone (rule: lean-waiting)', async (way) => {
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
