import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import { callModel } from '../../../src/service/step/call-model.js';
import { Interruption } from '../../../src/service/step/interruption.js';
import type {
  Completion,
  CompletionEvent,
  CompletionRequest,
  Provider,
} from '../../../src/service/step/provider.js';
import { readReply } from '../../../src/service/step/read-reply.js';
import type { StepObserver } from '../../../src/service/step/step-dependencies.js';
import { completionOf } from '../../support/completion.js';
import { chunkLengths, cut } from '../../support/parsing/arbitraries.js';
import { anyReply } from '../../support/parsing/replies.js';
import { prepare } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';
import { turnsDuring, whileBusy } from '../../support/turns-during.js';

const tools: StepRequestInput['tools'] = [{ name: 'read_file', inputSchema: { type: 'object' } }];
const deadline = { signal: new AbortController().signal, remainingMs: () => 60_000 };

/** Returns a provider that returns the given fragments and records the requests that it receives. */
function providerReplying(
  fragments: readonly string[],
  changes: Partial<Completion> = {},
): { provider: Provider; requests: CompletionRequest[] } {
  const requests: CompletionRequest[] = [];
  const completion = completionOf(fragments.join(''), changes);
  async function* stream(request: CompletionRequest): AsyncGenerator<CompletionEvent> {
    requests.push(request);
    for (const delta of fragments) yield { type: 'text', delta };
    yield { type: 'completion', completion };
  }
  const answer = async (request: CompletionRequest) => {
    requests.push(request);
    return completion;
  };
  return { provider: { name: 'test', complete: answer, stream }, requests };
}

const observerOf = (delta: StepObserver['delta']): StepObserver => ({
  contextBuilt: async () => {},
  delta,
  actionProposed: async () => {},
});

async function observed(
  fragments: readonly string[],
  fields: Partial<StepRequestInput>,
  changes: Partial<Completion> = {},
): Promise<string[][]> {
  const deltas: string[][] = [];
  const observer = observerOf(async (kind, delta) => void deltas.push([kind, delta]));
  const prompt = await prepare(stepRequest({ tools, ...fields }));
  await callModel(prompt, { provider: providerReplying(fragments, changes).provider, deadline }, observer);
  return deltas;
}

const joined = (deltas: readonly string[][], ...kinds: string[]): string =>
  deltas.flatMap(([kind = '', delta = '']) => (kinds.includes(kind) ? [delta] : [])).join('');

describe('the completion request of a step', () => {
  const requestFor = async (fields: Partial<StepRequestInput>) => {
    const { provider, requests } = providerReplying(['Final Answer: 42']);
    await callModel(await prepare(stepRequest({ tools, ...fields })), { provider, deadline });
    return requests[0];
  };

  test('a step makes one call with the caller’s settings and an output limit of at most the reserve', async () => {
    const config = { modelName: 'm', tokenLimit: 8_000, reservedOutputTokens: 1_000, temperature: 0 };
    expect(await requestFor({ llm_config: { ...config, maxOutputTokens: 5_000 } })).toMatchObject({
      model: 'm',
      temperature: 0,
      maxOutputTokens: 1_000,
    });
  });

  test('native tools may be called unless an answer is required or the phase is not act (rule: native-calling)', async () => {
    const choiceFor = async (fields: Partial<StepRequestInput>) =>
      (await requestFor({ protocol: 'native', ...fields }))?.nativeTools?.choice;
    expect(await choiceFor({})).toBe('auto');
    expect(await choiceFor({ phase: 'act' })).toBe('auto');
    expect(await choiceFor({ phase: 'reason' })).toBe('none');
    expect(await choiceFor({ max_iterations_left: 1 })).toBe('none');
    expect((await requestFor({}))?.nativeTools).toBeUndefined();
  });
});

describe('deltas of a streamed step', () => {
  test('a thought and an answer are streamed without their labels (rule: deltas-join)', async () => {
    const deltas = await observed(['Thought: I kn', 'ow.\nFinal Ans', 'wer: 42'], {});
    expect(joined(deltas, 'thought', 'draft').trim()).toBe('I know.');
    expect(joined(deltas, 'answer').trim()).toBe('42');
  });

  test.each([
    ['act', 'Final Answer: 42', '42'],
    ['act', 'I know.\nFinal Answer: 42', 'I know.\n\n42'],
    ['reason', 'Thought: I know.\nFinal Answer: 42 {"plan": "none"}', 'I know.\n\n42'],
  ] as const)('in the phase %s, a labelled answer is streamed as part of the thought: %j (rules: phases, deltas-join)', async (phase, text, thought) => {
    for (const fragments of [[text], [...text]]) {
      const deltas = await observed(fragments, { phase });
      expect(joined(deltas, 'answer')).toBe('');
      expect(joined(deltas, 'draft', 'thought').trim()).toBe(thought);
    }
  });

  test('prose beside a native call is streamed as a paragraph of its own after reasoning that was not opened (rules: thinking, deltas-join)', async () => {
    const toolCalls = [{ id: 'x', name: 'read_file', arguments: '{}' }];
    const deltas = await observed(['I look.', '</think>', 'Now.'], { protocol: 'native' }, { toolCalls });
    expect(joined(deltas, 'draft', 'thought', 'answer')).toBe('I look.\n\nNow.');
    expect(joined(deltas, 'answer')).toBe('');
  });

  test('a labelled answer beside a native call is streamed as part of the thought (rules: thinking, deltas-join)', async () => {
    const toolCalls = [{ id: 'x', name: 'read_file', arguments: '{}' }];
    const deltas = await observed(
      [...'Thought: I know.\nFinal Answer: It is 42.'],
      { protocol: 'native' },
      { toolCalls },
    );
    expect(joined(deltas, 'draft', 'thought')).toBe('I know.\n\nIt is 42.');
    expect(joined(deltas, 'answer')).toBe('');
  });

  test('with native calling, a labelled answer is streamed as an answer (rule: deltas-join)', async () => {
    const deltas = await observed([...'Thought: I know.\nFinal Answer: It is 42.'], { protocol: 'native' });
    expect([joined(deltas, 'draft', 'thought'), joined(deltas, 'answer')]).toEqual(['I know.', 'It is 42.']);
  });

  test('in the phase observe, a labelled answer is streamed as an answer (rule: phases)', async () => {
    const deltas = await observed(['I know.\nFinal Answer: 42'], { phase: 'observe' });
    expect([joined(deltas, 'draft', 'thought'), joined(deltas, 'answer')]).toEqual(['I know.', '42']);
  });

  test('in a phase, prose after a code block is streamed, but the JSON control block is not (rule: phase-control)', async () => {
    const fragments = [
      'See:\n```ts\nconst a = { b: 1 };\n```\nSo I ',
      'look.\n```json\n{"plan": "lo',
      'ok"}\n```',
    ];
    const deltas = await observed(fragments, { phase: 'reason' });
    expect(joined(deltas, 'draft', 'thought', 'answer').trim()).toBe(
      'See:\n```ts\nconst a = { b: 1 };\n```\nSo I look.',
    );
  });
});

test('an interrupted step does not finish reading a long delta (rule: one-deadline)', async () => {
  const interruption = new Interruption('deadline');
  const leaving = new AbortController();
  const deltas: string[] = [];
  const observer = observerOf((_, delta) => {
    deltas.push(delta);
    leaving.abort(interruption);
    return undefined;
  });
  const prompt = await prepare(stepRequest({ tools }));
  const { provider } = providerReplying(['word '.repeat(100_000)]);
  const step = callModel(prompt, { provider, deadline: { ...deadline, signal: leaving.signal } }, observer);
  await expect(step).rejects.toBe(interruption);
  expect(deltas.join('').length).toBeLessThan(50_000);
});

test('a complete reply is read even after the deadline (rule: one-deadline)', async () => {
  const text = '{"a": "held back to the end';
  const leaving = new AbortController();
  async function* stream(): AsyncGenerator<CompletionEvent> {
    yield { type: 'text', delta: text };
    leaving.abort(new Interruption('deadline'));
    yield { type: 'completion', completion: completionOf(text) };
  }
  const provider = { ...providerReplying([]).provider, stream };
  const prompt = await prepare(stepRequest({ tools }));
  const deltas: string[] = [];
  const observer = observerOf(async (_, delta) => void deltas.push(delta));
  const received = await callModel(
    prompt,
    { provider, deadline: { ...deadline, signal: leaving.signal } },
    observer,
  );
  expect((await readReply(received, prompt.situation)).answer).toBe(text);
  expect(deltas.join('')).toBe(text);
});

test('callModel sends no request if the reply parser cannot be created', async () => {
  const { provider, requests } = providerReplying(['Final Answer: 42']);
  const prompt = await prepare(stepRequest({ tools }));
  const situation = {
    ...prompt.situation,
    get offered(): never {
      throw new Error('no tools');
    },
  };
  const calls: unknown[] = [];
  const stream: Provider['stream'] = (request, patience) => {
    calls.push(request);
    return provider.stream(request, patience);
  };
  const step = async () =>
    callModel(
      { ...prompt, situation },
      { provider: { ...provider, stream }, deadline },
      observerOf(async () => {}),
    );
  await expect(step()).rejects.toThrow('no tools');
  expect([calls, requests]).toEqual([[], []]);
});

test('long text that is held back until the end of the reply is streamed in several deltas (rule: loop-share)', async () => {
  const text = `{"a": "${'word '.repeat(50_000)}`;
  const deltas = await observed([text], {});
  expect(Math.max(...deltas.map(([, delta = '']) => delta.length))).toBeLessThan(50_000);
  expect(joined(deltas, 'answer')).toBe(text.trim());
});

describe('parsing a streamed reply', () => {
  const silent = observerOf(async () => {});
  const object = fc.constantFrom(
    '{"thought": "t", "action": {"tool": "read_file", "args": {"path": "a"}}}',
    '{"thought": "t", "final_answer": "42"} and more',
    'Well:\n{"thought": "t", "final',
  );
  const changes = fc.record({
    reasoning: fc.constantFrom(null, 'hm'),
    refusal: fc.constantFrom(null, null, 'no'),
    finishReason: fc.constantFrom('stop', 'length', 'refusal'),
    isConstrained: fc.boolean(),
    toolCalls: fc.constantFrom([], [], [{ id: 'x', name: 'read_file', arguments: '{}' }]),
  });

  test.each([
    'text',
    'xml',
    'json',
    'native',
  ] as const)('a streamed reply is parsed to the same result as the whole text with protocol %s', async (protocol) => {
    const prompt = await prepare(stepRequest({ tools, protocol }));
    const property = fc.asyncProperty(
      fc.oneof(anyReply, object),
      chunkLengths,
      changes,
      async (text, lengths, more) => {
        const { provider } = providerReplying(cut(text, lengths), more);
        const received = await callModel(prompt, { provider, deadline }, silent);
        expect(received.reading).toBeDefined();
        const { completion } = received;
        expect(await readReply(received, prompt.situation)).toEqual(
          await readReply({ completion }, prompt.situation),
        );
      },
    );
    await fc.assert(property, { numRuns: 300 });
  });

  test('the result of parsing the deltas is discarded if they are not the whole reply', async () => {
    const prompt = await prepare(stepRequest({ tools }));
    const { provider } = providerReplying(['Action: read_file('], { text: 'Action: read_file("a")' });
    const { reading } = await callModel(prompt, { provider, deadline }, silent);
    expect(reading).toBeUndefined();
  });

  test.each([
    ['text', 'Final Answer: so\n'],
    ['text', 'a < b\n'],
    ['json', '{"thought": "t", "final_answer": "'],
    ['native', 'word word\n'],
  ] as const)('streaming a long reply yields to a busy event loop (rule: loop-share): %s, %j', async (protocol, start) => {
    const prompt = await prepare(stepRequest({ tools, protocol }));
    const { provider } = providerReplying([start + 'a < b\n'.repeat(50_000)]);
    const turns = await whileBusy(() => turnsDuring(() => callModel(prompt, { provider, deadline }, silent)));
    expect(turns).toBeGreaterThan(5);
  });
});
