import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ text: 'accepted' });
});
afterEach(() => provider.close());

/** Returns the status and the vendor's message, or `accepted`. */
async function post(path: string, body: unknown): Promise<string> {
  const response = await fetch(`${provider.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
  const text = await response.text();
  return response.ok && text.includes('accepted') ? 'accepted' : `${response.status} ${text}`;
}

const user = (content: unknown = 'Hello') => ({ role: 'user', content });

describe('the check of Chat Completions requests', () => {
  const assistant = (...ids: string[]) => ({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
  });
  const tool = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'done' });
  const tools = (name: string) => [{ type: 'function', function: { name, parameters: {} } }];

  test.each([
    ['text', { messages: [{ role: 'system', content: 'Be kind' }, user()] }],
    ['content parts', { messages: [user([{ type: 'text', text: 'Hello' }])] }],
    ['parallel calls with their results', { messages: [user(), assistant('a', 'b'), tool('b'), tool('a')] }],
    ['a tool', { messages: [user()], tools: tools('read_file') }],
  ])('the fake provider accepts a Chat Completions request with %s', async (_claim, body) => {
    expect(await post('/v1/chat/completions', { model: 'gpt-test', ...body })).toBe('accepted');
  });

  test.each([
    ['no messages', { messages: [] }, /empty array/],
    ['no model', { model: '', messages: [user()] }, /model/],
    ['an unknown role', { messages: [{ role: 'observer', content: 'a' }] }, /role/],
    ['null content', { messages: [user(null)] }, /content/],
    ['a result without a call', { messages: [user(), tool('a')] }, /preceding message/],
    [
      'a call without a result',
      { messages: [user(), assistant('a', 'b'), tool('a'), user()] },
      /followed by tool/,
    ],
    ['an unanswered call at the end', { messages: [user(), assistant('a')] }, /followed by tool/],
    ['a dot in a tool name', { messages: [user()], tools: tools('fs.read') }, /name must match/],
  ])('the fake provider answers 400 to a Chat Completions request with %s', async (_claim, body, message) => {
    const answer = await post('/v1/chat/completions', { model: 'gpt-test', ...body });
    expect(answer).toMatch(/^400 \{"error":\{"param":null,"code":null,"message":/);
    expect(answer).toMatch(message);
  });
});

describe('the check of Messages requests', () => {
  const used = (...ids: string[]) => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool_use', id, name: 'f', input: {} })),
  });
  const result = (...ids: string[]) =>
    user(ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'done' })));
  const marked = { type: 'text', text: 'a', cache_control: { type: 'ephemeral' } };

  test.each([
    ['text', { messages: [user()] }],
    ['adjacent messages of one role', { messages: [user(), user()] }],
    ['parallel tool uses with their results', { messages: [user(), used('a', 'b'), result('b', 'a')] }],
    ['four cache breakpoints', { system: [marked], messages: [user([marked, marked, marked])] }],
  ])('the fake provider accepts a Messages request with %s', async (_claim, body) => {
    expect(await post('/v1/messages', { model: 'claude-test', max_tokens: 9, ...body })).toBe('accepted');
  });

  test.each([
    ['no max_tokens', { max_tokens: undefined, messages: [user()] }, /max_tokens/],
    [
      'an assistant message first',
      { messages: [{ role: 'assistant', content: 'a' }, user()] },
      /first message/,
    ],
    ['an assistant message last', { messages: [user(), { role: 'assistant', content: 'a' }] }, /Prefilling/],
    ['empty content', { messages: [user('')] }, /non-empty content/],
    ['an empty text block', { messages: [user([{ type: 'text', text: '' }])] }, /must be non-empty/],
    [
      'a tool use without a result',
      { messages: [user(), used('a', 'b'), result('a')] },
      /without `tool_result`/,
    ],
    ['a tool result without a tool use', { messages: [user(), result('a')] }, /unexpected `tool_use_id`/],
    ['five cache breakpoints', { messages: [user(Array(5).fill(marked))] }, /maximum of 4/],
    ['a dot in a tool name', { messages: [user()], tools: [{ name: 'fs.read' }] }, /name must match/],
  ])('the fake provider answers 400 to a Messages request with %s', async (_claim, body, message) => {
    const answer = await post('/v1/messages', { model: 'claude-test', max_tokens: 9, ...body });
    expect(answer).toMatch(/^400 \{"type":"error","error":\{"type":"invalid_request_error"/);
    expect(answer).toMatch(message);
  });
});
