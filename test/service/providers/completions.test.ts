import { describe, expect, test } from '@jest/globals';
import type { ScriptedCompletion } from '../../../src/offline/wire/reply.js';
import type { Message } from '../../../src/service/step/provider.js';
import {
  ask,
  collect,
  completionRequest,
  connect,
  directoryAt,
  fakeProvider,
  patienceOf,
  toolOf,
  ways,
} from '../../support/providers/requests.js';

const usage = { input: 900, output: 80, cachedInput: 600, cacheWrite: 100, reasoning: 30 };
const nativeTools = {
  definitions: [toolOf('fs.read'), toolOf('fs_read'), toolOf('list')],
  choice: 'auto' as const,
};

describe.each(ways)('completions (rule: usage): $title', (way) => {
  const complete = async (reply: ScriptedCompletion, changes = {}) => {
    const fake = await fakeProvider(reply);
    const completion = await ask(connect(directoryAt(fake.url), way.model), way, patienceOf(), changes);
    return { completion, fake };
  };

  test('a completion has text, reasoning, model and usage in vendor-independent terms', async () => {
    const text = 'Thought: I know.\nFinal Answer: 42 — über';
    const { completion } = await complete({ text, reasoning: 'Let me think.', usage, model: 'as-served' });
    expect(completion).toMatchObject({
      text,
      reasoning: 'Let me think.',
      toolCalls: [],
      refusal: null,
      finishReason: 'stop',
      model: 'as-served',
      usage: {
        input_tokens: 900,
        output_tokens: 80,
        cached_input_tokens: 600,
        cache_write_tokens: 100,
        reasoning_tokens: 30,
      },
      warnings: [],
    });
  });

  test.each([
    { scripted: 'stop', unified: 'stop' },
    { scripted: 'length', unified: 'length' },
    { scripted: 'something_new', unified: 'other' },
  ])('the finish reason $scripted is mapped to $unified, and the raw value is kept (rule: finish-reason)', async ({
    scripted,
    unified,
  }) => {
    const { completion } = await complete({ text: 'x', finishReason: scripted });
    const raw = {
      chat: scripted,
      responses: { stop: 'completed', length: 'max_output_tokens' }[scripted] ?? scripted,
      messages: { stop: 'end_turn', length: 'max_tokens' }[scripted] ?? scripted,
    };
    expect(completion).toMatchObject({ finishReason: unified, finishReasonRaw: raw[way.wire] });
  });

  test('a refusal is returned as a completion with its text', async () => {
    const { completion } = await complete({ text: null, refusal: 'I will not.' });
    expect(completion).toMatchObject({ refusal: 'I will not.', finishReason: 'refusal', text: '' });
  });

  test('an empty reply is returned as a completion', async () => {
    const { completion } = await complete({ text: null });
    expect(completion).toMatchObject({ text: '', reasoning: null, finishReason: 'stop' });
  });

  test('parallel tool calls are returned under the caller’s tool names', async () => {
    const toolCalls = [
      { id: 'call_a', name: 'list', arguments: { path: 'src', deep: true } },
      { id: 'call_b', name: 'fs_read', arguments: {} },
    ];
    const { completion, fake } = await complete({ text: 'Looking.', toolCalls }, { nativeTools });
    expect(completion.toolCalls.map(({ id, name }) => [id, name])).toEqual([
      ['call_a', 'list'],
      ['call_b', 'fs_read'],
    ]);
    expect(completion.toolCalls.map((call) => JSON.parse(call.arguments || '{}'))).toEqual([
      { path: 'src', deep: true },
      {},
    ]);
    expect(completion).toMatchObject({ text: 'Looking.', finishReason: 'tool' });

    const sent = JSON.stringify(fake.requests[0]?.body['tools']);
    const [renamed] = sent.match(/fs_read_[0-9a-f]{12}/) ?? [];
    fake.script({ toolCalls: [{ name: renamed ?? '', arguments: {} }] });
    const provider = connect(directoryAt(fake.url), way.model);
    const again = await ask(provider, way, patienceOf(), { nativeTools });
    expect(again.toolCalls[0]?.name).toBe('fs.read');
  });

  test('arguments that are not JSON are returned as written', async () => {
    const { completion } = await complete(
      { toolCalls: [{ name: 'list', arguments: '{"path": ' }] },
      { nativeTools },
    );
    expect(completion.toolCalls.map((call) => call.arguments)).toEqual(['{"path": ']);
  });
});

describe.each(ways.filter(({ streamed }) => streamed))('streamed completions: $title', (way) => {
  test('the joined deltas of a stream equal the completion', async () => {
    const text = 'Thought: Ω und 😀\nAction: look(path="a b")';
    // The delay keeps the fragments apart: fragments that are read at once become one delta.
    const fake = await fakeProvider({ text, reasoning: 'first this, then that', chunkDelayMs: 10 });
    const events = await collect(
      connect(directoryAt(fake.url), way.model).stream(completionRequest({ model: way.model }), patienceOf()),
    );
    const joined = (type: string) =>
      events.map((event) => (event.type === type && 'delta' in event ? event.delta : '')).join('');
    expect(joined('text')).toBe(text);
    expect(joined('reasoning')).toBe('first this, then that');
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(3);
    expect(events.filter(({ type }) => type === 'completion')).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ completion: { text, reasoning: 'first this, then that' } });
  });

  test('deltas arrive while the provider is still writing', async () => {
    const fake = await fakeProvider({ text: 'one two three', chunkDelayMs: 40 });
    const stream = connect(directoryAt(fake.url), way.model).stream(
      completionRequest({ model: way.model }),
      patienceOf(),
    );
    for await (const event of stream) {
      if (event.type !== 'text') continue;
      expect(fake.requests[0]?.ending).toBeNull();
      break;
    }
  });
});

describe('signed reasoning blocks (rule: native-calling)', () => {
  test.each([
    false,
    true,
  ])('signed reasoning is returned in the provider state and sent back unchanged (streamed: %s)', async (streamed) => {
    const fake = await fakeProvider([
      {
        reasoning: 'I should look.',
        text: 'Looking.',
        toolCalls: [{ id: 'toolu_1', name: 'list', arguments: {} }],
      },
      { text: 'Final Answer: done' },
    ]);
    const way = { model: 'claude-opus-5', streamed };
    const provider = connect(directoryAt(fake.url), way.model);
    const { providerState, toolCalls } = await ask(provider, way, patienceOf(), { nativeTools });
    const [call] = toolCalls;
    const messages: Message[] = [
      { role: 'user', parts: [{ type: 'text', text: 'Task.' }] },
      {
        role: 'assistant',
        parts: [
          // The provider state as a caller returns it after storing the history as JSON.
          { type: 'provider_state', state: JSON.parse(JSON.stringify(providerState)) },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_call', id: call?.id ?? '', name: 'list', arguments: {} },
        ],
      },
      {
        role: 'user',
        parts: [{ type: 'tool_result', callId: call?.id ?? '', text: 'a.ts', isError: false }],
      },
    ];
    const prompt = { system: '', systemBreakpoint: false, messages };
    await ask(provider, way, patienceOf(), { nativeTools, prompt });
    expect(fake.requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'I should look.', signature: expect.stringMatching(/^[\w+/]+=*$/) },
          { type: 'text', text: 'Looking.' },
          { type: 'tool_use', id: 'toolu_1' },
        ],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    ]);
  });

  test('a reply without signed reasoning has no provider state', async () => {
    const fake = await fakeProvider({ text: 'x' });
    for (const way of ways) {
      expect(await ask(connect(directoryAt(fake.url), way.model), way)).not.toHaveProperty('providerState');
    }
  });
});
