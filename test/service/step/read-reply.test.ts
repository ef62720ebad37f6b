import { describe, expect, test } from '@jest/globals';
import { buildReplySchema } from '../../../src/parsing/structured/schema/reply-schema.js';
import { openaiSchema } from '../../../src/service/providers/models/schema-dialects.js';
import type { Completion } from '../../../src/service/step/provider.js';
import { readReply } from '../../../src/service/step/read-reply.js';
import { completionOf } from '../../support/completion.js';
import { prepare } from '../../support/prepare.js';
import { stepRequest } from '../../support/step-request.js';
import { turnsDuring, whileBusy } from '../../support/turns-during.js';

const inputSchema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const offered = [{ name: 'read_file', parameters: ['path'], inputSchema }];
const situation = { ...(await prepare(stepRequest({}))).situation, offered };
const read = (text: string, changes: Partial<Completion> = {}) =>
  readReply({ completion: completionOf(text, changes) }, situation);
const toolCall = (id: string, path: unknown) => ({
  id,
  name: 'read_file',
  arguments: JSON.stringify({ path }),
});

test('a native call and the same call written as text give the same action (rule: native-calling)', async () => {
  const action = { name: 'read_file', parameters: { path: 'a' } };
  expect(await read('I look.\nAction: read_file(path="a")')).toMatchObject({
    thought: 'I look.',
    actions: [action],
  });
  expect(await read('I look.', { toolCalls: [toolCall('x', 'a')] })).toMatchObject({
    thought: 'I look.',
    actions: [{ ...action, id: 'x', raw: 'read_file({"path":"a"})' }],
    parse: { dialect: 'native', confidence: 'exact' },
  });
});

test('unreadable native calls after a readable one are discarded and reported (rule: first-action-wins)', async () => {
  const bad = { id: 'y', name: 'read_file', arguments: '{"other":1}' };
  expect(await read('', { toolCalls: [toolCall('x', 'a'), bad] })).toMatchObject({
    actions: [{ id: 'x' }],
    parse: { outcome: 'action', discarded: [{ kind: 'malformed_action', chars: bad.arguments.length }] },
  });
  const alone = await read('I look.', { toolCalls: [bad] });
  expect(alone).toMatchObject({ actions: [], thought: null, parse: { outcome: 'malformed_action' } });
  expect(alone.answer).toBe('I look.\nread_file({"other":1})');
});

test('the text of an unreadable native call does not contain the reasoning before it (rules: thinking, first-action-wins)', async () => {
  const bad = { id: 'x', name: 'read_file', arguments: '{"other":1}' };
  const text = '<think>Where is it?</think>\nI look.';
  const reply = await read(text, { toolCalls: [bad] });
  expect(reply).toMatchObject({ answer: 'I look.\nread_file({"other":1})', reasoning: 'Where is it?' });
  const tooLong = await read(text, {
    isTooLong: true,
    finishReason: 'length',
    toolCalls: [toolCall('x', 'a')],
  });
  expect(tooLong.answer).toBe('I look.\nread_file({"path":"a"})');
});

test.each([
  ['Thought: I look.\nAction: read_file(path="b")'],
  ['Thought: I look.\nAction: read_file(path="b'],
  ['I look.\nAction: nope()'],
])('an action written beside a native call is discarded, reported, and no part of the thought: %j (rule: thinking)', async (text) => {
  const reply = await read(text, { toolCalls: [toolCall('x', 'a')] });
  expect(reply.thought).toBe('I look.');
  expect(reply.actions.map(({ parameters }) => parameters)).toEqual([{ path: 'a' }]);
  expect(reply.parse.discarded).toEqual([{ kind: 'action', chars: text.length - 'I look.'.length }]);
});

test('an unreadable first native call is reported, and no later call replaces it (rule: first-action-wins)', async () => {
  const bad = { id: 'x', name: 'read_file', arguments: '{"other":1}' };
  const reply = await read('I look.', { toolCalls: [bad, toolCall('y', 'a')] });
  expect(reply).toMatchObject({
    actions: [],
    answer: 'I look.\nread_file({"other":1})\nread_file({"path":"a"})',
    parse: { outcome: 'malformed_action', problem: expect.stringContaining('read_file'), discarded: [] },
  });
});

test('a native call whose arguments name another tool is malformed and proposes nothing (rule: json-call)', async () => {
  const call = { id: 'x', name: 'read_file', arguments: '{"path":"."}, "name": "delete_file", "x": {}' };
  const tools = [...offered, { name: 'delete_file', parameters: [] }];
  const completion = completionOf('', { toolCalls: [call] });
  expect(await readReply({ completion }, { ...situation, offered: tools, protocol: 'native' })).toMatchObject(
    {
      actions: [],
      answer: `read_file(${call.arguments})`,
      parse: {
        outcome: 'malformed_action',
        dialect: 'native',
        problem: 'read_file: text follows the arguments',
      },
    },
  );
});

test('a native call of final_answer is read as the answer (rule: answer-call)', async () => {
  const call = { id: 'x', name: 'final_answer', arguments: '{"answer":"42"}' };
  expect(await read('I know.', { toolCalls: [call] })).toMatchObject({
    thought: 'I know.',
    answer: '42',
    answerLabelled: true,
    parse: { outcome: 'answer', problem: null },
  });
});

test('a refusal is recognised with or without the vendor’s text (rule: billed-outcomes)', async () => {
  expect(await read('', { refusal: 'I will not.' })).toMatchObject({
    answer: 'I will not.',
    parse: { outcome: 'refusal' },
  });
  expect(await read('Action: read_file(path="a")', { finishReason: 'refusal' })).toMatchObject({
    actions: [],
  });
});

describe('a reply that is too long (rule: reply-cap)', () => {
  const tooLong = { isTooLong: true, finishReason: 'length' } as const;
  const toolCalls = [toolCall('x', 'a'), toolCall('y', 'b')];

  test('a reply that is too long returns its native calls as text instead of proposing them (rule: reply-cap)', async () => {
    expect(await read('I look.', { ...tooLong, toolCalls })).toMatchObject({
      actions: [],
      answer: 'I look.\nread_file({"path":"a"})\nread_file({"path":"b"})',
      parse: { outcome: 'truncated' },
    });
  });

  test.each([
    'reason',
    'observe',
  ] as const)('in the phase %s, a reply that is too long keeps the parse outcome of its action instead of `truncated` (rules: reply-cap, phases)', async (phase) => {
    for (const changes of [tooLong, { ...tooLong, toolCalls }]) {
      const completion = completionOf('I look.\nAction: read_file(path="a")\nand more', changes);
      const { request } = (await prepare(stepRequest({ phase }))).situation;
      const { parse } = await readReply({ completion }, { ...situation, request });
      expect(parse.outcome).toBe('action');
    }
  });
});

test('a parsed reply contains no NUL, so that it can be sent back (rule: history-returned)', async () => {
  const reply = await read('Thought: a\u0000b\nAction: read_file(path="c\\u0000d")');
  expect(reply.thought).toBe('a\uFFFDb');
  expect(reply.actions[0]?.parameters).toEqual({ path: 'c\uFFFDd' });
});

test('reading native calls yields to a busy event loop (rule: loop-share)', async () => {
  const toolCalls = Array.from({ length: 20 }, (_, at) => toolCall(`${at}`, 'a'.repeat(20_000)));
  const turns = await whileBusy(() =>
    turnsDuring(async () => {
      const { actions } = await read('', { toolCalls });
      expect(actions).toHaveLength(20);
    }),
  );
  expect(turns).toBeGreaterThan(10);
});

test('a string for an untyped parameter is parsed as JSON only if the provider enforced the schema (rule: constrained-confidence)', async () => {
  const tools = [
    { name: 'write', parameters: ['content'], inputSchema: { type: 'object', properties: { content: {} } } },
  ];
  const schema = await buildReplySchema(tools, openaiSchema, () => undefined);
  if (!schema) throw new Error('no schema');
  const replyFormat = { ...schema, isCharged: false, warnings: [] };
  const text = '{"thought": "t", "action": {"tool": "write", "args": {"content": "42"}}}';
  const contentOf = async (isConstrained: boolean) => {
    const completion = completionOf(text, { isConstrained });
    const inJson = { ...situation, offered: tools, protocol: 'json', replyFormat } as const;
    const { actions } = await readReply({ completion }, inJson);
    return actions[0]?.parameters['content'];
  };
  expect(await contentOf(true)).toBe(42);
  expect(await contentOf(false)).toBe('42');
});
