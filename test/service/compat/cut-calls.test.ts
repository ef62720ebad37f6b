import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { askerOf, keylessUpstreams } from '../../support/wires.js';

let service: WholeService;
let ask: ReturnType<typeof askerOf>;
beforeAll(async () => {
  service = await startWholeService({}, { UPSTREAMS: JSON.stringify(keylessUpstreams) });
  ask = askerOf(service);
});
afterAll(() => service.close());

const noParameters = { type: 'object', properties: {} };
const path = { path: { type: 'string' } };
const tools = [
  { name: 'git', schema: noParameters },
  { name: 'git_push', schema: noParameters },
  { name: 'list_dir', schema: { type: 'object', properties: path } },
  { name: 'write', schema: { type: 'object', properties: path, required: ['path'] } },
];
const upstreams = ['chat', 'responses', 'messages'];
const native = { 'X-Stepwise-Protocol': 'native' };

test.each([
  ['Action: list_dir\nAction Input:', 'an empty input'],
  ['Action: write\nAction Input:', 'an empty input of a tool that needs one'],
  ['Action: git', 'a name that may be the beginning of another'],
  ['Action: git\nAction Inp', 'a part of the label of the input'],
  ['Action: Bash(command="rm -rf /home/us', 'an unknown tool'],
])('a written call that the output limit cut off is only its prose, plain and streamed: %j (%s) (rule: whole-calls)', async (call) => {
  for (const streamed of [false, true]) {
    service.fake.script({ text: `Thought: I look.\n${call}`, finishReason: 'length' });
    const headers = { 'X-Stepwise-Protocol': 'text' };
    const answer = await ask('chat', { text: 'Look.', tools, model: 'chat/m', headers }, streamed);
    expect(answer).toMatchObject({ calls: [], end: 'length', text: 'I look.' });
  }
});

test.each(
  ['list_dir', 'write', 'unknown'].flatMap((name) => upstreams.map((upstream) => [name, upstream] as const)),
)('a native call that the output limit cut off right after its name is only its prose, plain and streamed: %s from the upstream API %s (rule: whole-calls)', async (name, upstream) => {
  for (const streamed of [false, true]) {
    service.fake.script({
      text: 'I look.',
      toolCalls: [{ name, arguments: '' }],
      finishReason: upstream === 'messages' ? 'max_tokens' : 'length',
    });
    const request = { text: 'Look.', tools, model: `${upstream}/m`, headers: native };
    const answer = await ask('chat', request, streamed);
    expect(answer).toMatchObject({ calls: [], end: 'length', text: 'I look.' });
  }
});

test.each(
  upstreams,
)('a native call with empty arguments in a reply that ended normally is a call without arguments: upstream API %s (rule: json-call)', async (upstream) => {
  for (const streamed of [false, true]) {
    service.fake.script({ toolCalls: [{ name: 'list_dir', arguments: '' }] });
    const request = { text: 'Look.', tools, model: `${upstream}/m`, headers: native };
    expect((await ask('chat', request, streamed)).calls).toEqual([{ name: 'list_dir', args: {} }]);
  }
});

test('only the last native call of a reply can be cut off by the output limit; those before it reach the client (rule: whole-calls)', async () => {
  const toolCalls = [
    { name: 'list_dir', arguments: '' },
    { name: 'write', arguments: '{"path": "a' },
  ];
  service.fake.script({ toolCalls, finishReason: 'length' });
  const { calls } = await ask('chat', { text: 'Look.', tools, model: 'chat/m', headers: native });
  expect(calls).toEqual([{ name: 'list_dir', args: {} }]);
});
