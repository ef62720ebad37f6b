import { describe, expect, test } from '@jest/globals';
import type { ScriptedReply } from '../../../src/offline/wire/reply.js';
import type {
  ProviderRequest,
  RequestEnd,
  RequestObserver,
} from '../../../src/service/providers/request-observer.js';
import {
  ask,
  canary,
  directoryAt,
  failureOf,
  fakeProvider,
  llmConfig,
  patienceOf,
  secretOf,
  ways,
} from '../../support/providers/requests.js';
import { until } from '../../support/until.js';

interface Seen {
  readonly request: ProviderRequest;
  readonly ends: RequestEnd[];
}

/** Creates an observer that records its calls and adds headers. */
function spy(headers?: Record<string, string>) {
  const seen: Seen[] = [];
  let begun = 0;
  const observe: RequestObserver = (request) => {
    const ends: RequestEnd[] = [];
    seen.push({ request, ends });
    return {
      ...(headers && { headers }),
      begun: () => {
        begun += 1;
      },
      ended: (end) => void ends.push(end),
    };
  };
  return { observe, seen, ends: () => seen.map(({ ends }) => ends), begun: () => begun };
}

function observed(url: string, model: string, { all, one }: Record<'all' | 'one', RequestObserver>) {
  const resolved = directoryAt(url, { observe: all }).resolve(llmConfig(model));
  if (!resolved) throw new Error(`${model} is not resolved`);
  return resolved.connect(secretOf(canary), one);
}

describe.each(ways)('observing provider requests (rule: tracing): $title', (way) => {
  async function endsAfter(...script: ScriptedReply[]) {
    const fake = await fakeProvider(script);
    const [all, one] = [spy(), spy()];
    const asked = ask(observed(fake.url, way.model, { all: all.observe, one: one.observe }), way);
    await asked.catch(() => {});
    expect(all.seen).toEqual(one.seen);
    expect(one.seen.map(({ request }) => request)).toEqual(
      fake.requests.map(() => ({ provider: way.name, streamed: way.streamed, origin: fake.url })),
    );
    return one.ends();
  }
  const whole = [{ status: 200, failure: null }];

  test('a complete response is observed once', async () => {
    expect(await endsAfter({ text: 'Final Answer: yes' })).toEqual([whole]);
  });

  test('a second request is observed separately (rule: second-request)', async () => {
    const ends = await endsAfter({ fault: 'unavailable' }, { text: 'Final Answer: yes' });
    expect(ends).toEqual([[{ status: 503, failure: null }], whole]);
  });

  test('a truncated response is observed as unreachable, and a response with another content type as invalid', async () => {
    expect(await endsAfter({ fault: 'cut' })).toEqual([[{ status: 200, failure: 'unreachable' }]]);
    expect(await endsAfter({ fault: 'html' })).toEqual([[{ status: 200, failure: 'invalid_response' }]]);
  });

  test('a redirect and a plain body that is too long are observed as invalid responses', async () => {
    const invalid = [[{ status: expect.any(Number), failure: 'invalid_response' }]];
    expect(await endsAfter({ fault: 'redirect' })).toEqual(invalid);
    // The service cuts off a streamed reply of this length and treats it as valid.
    const huge = await endsAfter({ fault: 'huge' });
    expect(huge).toEqual(way.streamed ? [whole] : invalid);
  });

  test('a refused connection is observed as unreachable without a status', async () => {
    const [all, one] = [spy(), spy()];
    const provider = observed('http://127.0.0.1:9', way.model, { all: all.observe, one: one.observe });
    await failureOf(ask(provider, way));
    expect(one.ends()).toEqual([
      [{ status: null, failure: 'unreachable' }],
      [{ status: null, failure: 'unreachable' }],
    ]);
  });

  test.each([
    'silence',
    'stalled-body',
  ] as const)('a caller that leaves during %s is observed as caller_left', async (fault) => {
    const fake = await fakeProvider({ fault });
    const [all, one] = [spy(), spy()];
    const deadline = patienceOf();
    const provider = observed(fake.url, way.model, { all: all.observe, one: one.observe });
    const failed = failureOf(ask(provider, way, deadline));
    await fake.request(0);
    if (fault === 'stalled-body') await until(() => one.begun() === 1);
    deadline.interrupt('caller_left');
    await failed;
    expect(one.ends()).toMatchObject([[{ failure: 'caller_left' }]]);
  });

  test('an observer can add headers to a provider request, but cannot replace the Authorization header', async () => {
    const fake = await fakeProvider({ text: 'Final Answer: yes' });
    const [all, one] = [spy({ authorization: 'x', first: '1' }), spy({ second: '2' })];
    await ask(observed(fake.url, way.model, { all: all.observe, one: one.observe }), way);
    expect((await fake.request(0)).headers).toMatchObject({
      first: '1',
      second: '2',
      authorization: `Bearer ${canary}`,
    });
  });
});
