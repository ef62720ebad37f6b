import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type TurnInput, turnSchema } from '../../../src/contract/history.js';
import {
  fromAnthropicMessages,
  fromAnthropicTool,
  toAnthropicMessages,
  toAnthropicTool,
} from '../../../src/conversation/convert/convert-anthropic.js';
import {
  fromOpenAiMessages,
  fromOpenAiTool,
  toOpenAiMessages,
  toOpenAiTool,
} from '../../../src/conversation/convert/convert-openai.js';

const text = fc.oneof(fc.string(), fc.constantFrom('', ' ', '\n', 'Thought: x', '(empty)', 'Continue.'));
const id = fc.option(fc.oneof(fc.constantFrom('call_1', 'call_2', 'a', 'a b', ''), fc.string()), {
  nil: undefined,
});
const extra = fc.dictionary(fc.constantFrom('timestamp_', 'x-note', 'origin', 'set'), fc.jsonValue());
const name = fc.oneof(
  fc.constantFrom('read_file', 'fs.read', 'a__dot__b', '.', '__dot__'),
  fc.stringMatching(/^[\w.-]{1,40}$/),
);
const parameters = fc.dictionary(fc.string(), fc.jsonValue());

const userTurn = fc.record({
  role: fc.constant('user' as const),
  content: text,
  kind: fc.option(fc.constantFrom('notice' as const, 'summary' as const), { nil: undefined }),
});
const assistantTurn = fc.record({
  role: fc.constant('assistant' as const),
  content: text,
  phase: fc.option(fc.constantFrom('reason' as const, 'act' as const), { nil: undefined }),
  provider_state: fc.option(fc.jsonValue(), { nil: undefined }),
  toolCall: fc.option(fc.record({ name, parameters, id }), { nil: undefined }),
});
const observationTurn = fc.record({
  role: fc.constant('tool_observation' as const),
  content: text,
  toolCallId: id,
  toolResult: fc.option(
    fc.record({
      success: fc.boolean(),
      result: fc.jsonValue(),
      error: fc.option(fc.string(), { nil: undefined }),
    }),
    { nil: undefined },
  ),
});
const turn = fc.tuple(fc.oneof(userTurn, assistantTurn, observationTurn), extra).map(([fields, more]) => ({
  ...more,
  ...fields,
}));

/** Histories as they are after storage as JSON: without undefined fields and negative zero. */
const history = fc
  .array(turn, { maxLength: 12 })
  .map((turns) => JSON.parse(JSON.stringify(turns)) as TurnInput[]);

const throughJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));
const asJson = (value: unknown) => JSON.parse(JSON.stringify(value));

describe.each([
  { vendor: 'OpenAI', to: toOpenAiMessages, from: fromOpenAiMessages },
  { vendor: 'Anthropic', to: toAnthropicMessages, from: fromAnthropicMessages },
] as const)('round trip of a history through $vendor messages (rule: converters)', ({ to, from }) => {
  // Cast: in a table of test cases, the compiler cannot tell that `from` belongs to `to`.
  const read = from as (messages: readonly never[], residue: unknown) => { history: readonly TurnInput[] };

  test('a history is restored exactly from the vendor’s messages and the residue (what they cannot hold), even after storage as JSON', () => {
    fc.assert(
      fc.property(history, (turns) => {
        const { messages, residue } = throughJson(to(turns));
        expect(asJson(read(messages as never, residue).history)).toEqual(turns);
      }),
      { numRuns: 200 },
    );
  });

  test('messages that were appended after the conversion follow the restored history', () => {
    fc.assert(
      fc.property(history, (turns) => {
        const { messages, residue } = to(turns);
        const longer = [...messages, { role: 'user', content: 'And now?' }] as never;
        expect(asJson(read(longer, residue).history)).toEqual([
          ...turns,
          { role: 'user', content: 'And now?' },
        ]);
      }),
    );
  });

  test('a history that is read from the vendor’s messages alone is valid and has every call', () => {
    fc.assert(
      fc.property(history, (turns) => {
        const plain = read(to(turns).messages as never, []).history;
        expect(plain.every((each) => turnSchema.safeParse(each).success)).toBe(true);
        const calls = (all: readonly TurnInput[]) => all.filter((each) => each.toolCall).length;
        expect(calls(plain)).toBe(calls(turns));
      }),
    );
  });
});

test('toAnthropicMessages answers every tool_use in the next message, with unique ids and a user message first', () => {
  fc.assert(
    fc.property(history, (turns) => {
      const { messages } = toAnthropicMessages(turns);
      const ids: string[] = [];
      messages.forEach(({ content }, index) => {
        const blocks = typeof content === 'string' ? [] : content;
        const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
        const next = messages[index + 1]?.content ?? [];
        const answered = typeof next === 'string' ? [] : next;
        if (uses.length > 0) {
          expect(answered.map((block) => (block.type === 'tool_result' ? block.tool_use_id : null))).toEqual(
            uses,
          );
        }
        ids.push(...uses);
      });
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids.every((each) => /^[\w-]{1,64}$/.test(each))).toBe(true);
      expect(messages[0]?.role ?? 'user').toBe('user');
    }),
  );
});

test('toOpenAiMessages puts the tool messages directly after their call', () => {
  fc.assert(
    fc.property(history, (turns) => {
      const { messages } = toOpenAiMessages(turns);
      let expected: string[] = [];
      for (const message of messages) {
        if (message.role === 'tool') expect(message.tool_call_id).toBe(expected.shift());
        else expect(expected).toEqual([]);
        if (message.role === 'assistant') expected = message.tool_calls?.map((call) => call.id) ?? [];
      }
      expect(expected).toEqual([]);
    }),
  );
});

test('fromOpenAiMessages reads content parts, system messages and arguments that are not JSON', () => {
  const { history: turns, instructions } = fromOpenAiMessages([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Look: ' }, { type: 'image_url' }] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'fs__dot__read', arguments: '{bad' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: 'text' },
  ]);
  expect(instructions).toBe('Be brief.');
  expect(turns).toEqual([
    { role: 'user', content: 'Look: (image_url)' },
    {
      role: 'assistant',
      content: '',
      toolCall: { name: 'fs.read', parameters: { arguments: '{bad' }, id: 'c1' },
    },
    { role: 'tool_observation', content: 'text', toolCallId: 'c1' },
  ]);
});

test('fromAnthropicMessages reads results and text of one message, errors, and inputs that are not objects', () => {
  const { history: turns } = fromAnthropicMessages([
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'Two at once.' },
        { type: 'tool_use', id: 'a', name: 'fs__dot__read', input: { path: 'x' } },
        { type: 'tool_use', id: 'b', name: 'now', input: 7 },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a',
          content: [{ type: 'text', text: 'one' }, { type: 'image' }],
        },
        { type: 'tool_result', tool_use_id: 'b', is_error: true },
        { type: 'text', text: 'And hurry.' },
      ],
    },
  ]);
  expect(turns).toEqual([
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: 'Two at once.',
      toolCall: { name: 'fs.read', parameters: { path: 'x' }, id: 'a' },
    },
    { role: 'assistant', content: '', toolCall: { name: 'now', parameters: { input: 7 }, id: 'b' } },
    { role: 'tool_observation', content: 'one(image)', toolCallId: 'a' },
    { role: 'tool_observation', content: '', toolCallId: 'b', toolResult: { success: false } },
    { role: 'user', content: 'And hurry.' },
  ]);
});

test('tools keep name, description and schema when converted to the format of a vendor and back', () => {
  const tool = {
    name: 'fs.read',
    description: 'Read.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
    annotations: undefined,
  };
  expect(fromOpenAiTool(toOpenAiTool(tool))).toEqual(tool);
  expect(fromAnthropicTool(toAnthropicTool(tool))).toEqual(tool);
  expect(toOpenAiTool(tool).function.name).toMatch(/^[\w-]{1,64}$/);
  expect(fromOpenAiTool({ type: 'function', function: { name: 'now' } }).inputSchema).toEqual({
    type: 'object',
    properties: {},
  });
});

test('the converters treat undefined fields as absent, in types (exactOptionalPropertyTypes) and at run time', () => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
  const openAi = fromOpenAiMessages([
    { role: 'user', content: [{ type: 'image_url', text: undefined }] },
    { role: 'assistant', content: undefined, tool_calls: [call] },
    { role: 'assistant', content: 'Hm.', tool_calls: undefined },
  ]);
  expect(openAi.history.map(({ content }) => content)).toEqual(['(image_url)', '', 'Hm.']);
  const result = { type: 'tool_result', tool_use_id: 'c', content: undefined, is_error: undefined } as const;
  const anthropic = fromAnthropicMessages([{ role: 'user', content: [result] }]);
  expect(anthropic.history).toEqual([{ role: 'tool_observation', content: '', toolCallId: 'c' }]);
  const tool = { name: 'f', description: undefined, parameters: undefined };
  expect(fromOpenAiTool({ type: 'function', function: tool }).inputSchema).toEqual({
    type: 'object',
    properties: {},
  });
  const [turn] = fromAnthropicMessages(
    [{ role: 'user', content: 'hi' }],
    [{ origin: 0, set: undefined, unset: undefined }],
  ).history;
  expect(turn).toEqual({ role: 'user', content: 'hi' });
});
