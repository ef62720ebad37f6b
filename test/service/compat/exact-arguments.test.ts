import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { MessagesReply } from '../../../src/service/providers/anthropic/messages-reply.js';
import { ReplyCap } from '../../../src/service/providers/upstream/reply-cap.js';
import { parseJson } from '../../../src/service/providers/vendor-json.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { keylessUpstreams } from '../../support/wires.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({}, { UPSTREAMS: JSON.stringify(keylessUpstreams) });
});
afterAll(() => service.close());

const parameters = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
const chatTool = { type: 'function', function: { name: 'get', parameters } };
const post = async (path: string, body: object): Promise<string> => {
  const response = await fetch(`${service.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Stepwise-Protocol': 'native' },
    body: JSON.stringify(body),
  });
  return response.text();
};
const numbers = ['1234567890123456789', '9007199254740993', '1e400'];

test.each(
  ['chat', 'responses', 'messages'].flatMap((upstream) =>
    numbers.map((number) => [number, upstream] as const),
  ),
)('the number %s in the arguments of a native call from the upstream API %s reaches clients of Chat Completions and Responses with all its digits, plain and streamed (rule: whole-calls)', async (number, upstream) => {
  const text = `{"id":${number}}`;
  for (const stream of [false, true]) {
    service.fake.script({ toolCalls: [{ name: 'get', arguments: text }] });
    const common = { model: `${upstream}/m`, stream };
    const messages = [{ role: 'user', content: 'Go.' }];
    const inChat = await post('chat/completions', { ...common, messages, tools: [chatTool] });
    expect(inChat).toContain(JSON.stringify(text));
    const tools = [{ type: 'function', name: 'get', parameters, strict: false }];
    const inResponses = await post('responses', { ...common, input: 'Go.', tools });
    expect(inResponses).toContain(JSON.stringify(text));
  }
});

test.each(
  numbers,
)('the number %s in the arguments of a native call reaches a client of Messages as its digits in a string (rule: whole-calls)', async (number) => {
  service.fake.script({ toolCalls: [{ name: 'get', arguments: `{"id":${number}}` }] });
  const messages = [{ role: 'user', content: 'Go.' }];
  const tools = [{ name: 'get', input_schema: parameters }];
  const answer = await post('messages', { model: 'chat/m', max_tokens: 100, messages, tools });
  expect(JSON.parse(answer).content).toMatchObject([{ type: 'tool_use', input: { id: number } }]);
});

test.each(
  numbers,
)('the number %s in a past call of a Chat Completions request reaches the upstream as its digits in a string (rule: chat-requests)', async (number) => {
  service.fake.script({ text: 'Done.' });
  const past = { id: 'a', type: 'function', function: { name: 'get', arguments: `{"id":${number}}` } };
  const messages = [
    { role: 'user', content: 'Go.' },
    { role: 'assistant', content: null, tool_calls: [past] },
    { role: 'tool', tool_call_id: 'a', content: 'x' },
  ];
  await post('chat/completions', { model: 'chat/m', messages, tools: [chatTool] });
  expect(service.fake.requests.at(-1)?.rawBody).toContain(JSON.stringify(`{"id":"${number}"}`));
});

test('a Messages upstream that sends a large number in an argument object does not round it', () => {
  const call = { type: 'tool_use', id: 'a', name: 'get', input: { id: 7 } };
  const body = { type: 'message', role: 'assistant', model: 'm', content: [call], stop_reason: 'tool_use' };
  const reply = new MessagesReply(new ReplyCap());
  reply.addAnswer(parseJson(JSON.stringify(body).replace('"id":7', '"id":1234567890123456789')));
  expect(reply.completion().toolCalls[0]?.arguments).toBe('{"id":"1234567890123456789"}');
});

test.each([
  65, 200_000,
])('a native call whose arguments are nested %i levels deep is not handed over, and does not fail the request (rule: whole-calls)', async (levels) => {
  const text = `{"id":${'['.repeat(levels)}${']'.repeat(levels)}}`;
  service.fake.script({ text: 'I get it.', toolCalls: [{ name: 'get', arguments: text }] });
  const messages = [{ role: 'user', content: 'Go.' }];
  const answer = JSON.parse(await post('chat/completions', { model: 'chat/m', messages, tools: [chatTool] }));
  expect(answer.choices[0].finish_reason).toBe('stop');
  expect(answer.choices[0].message.tool_calls).toBeUndefined();
});
