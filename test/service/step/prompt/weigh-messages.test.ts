import { expect, test } from '@jest/globals';
import { countMessages, weighMessages } from '../../../../src/service/step/prompt/weigh-messages.js';
import type { Message, Part } from '../../../../src/service/step/provider.js';
import { createTokenCounter } from '../../../../src/tokens/token-counter.js';

const tokens = createTokenCounter('o200k_base');
const scale = {
  tokens,
  framing: { prompt: 3, message: 4 },
  margin: 1,
  protocol: 'text',
  signal: new AbortController().signal,
} as const;
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const text = (content: string): Part => ({ type: 'text', text: content });
const call: Part = { type: 'tool_call', id: 'a', name: 'read_file', arguments: { path: 'a.ts' } };
const result: Part = { type: 'tool_result', callId: 'a', text: 'const a = 1;\n', isError: false };

test('adjacent texts of a message are counted as one text (rule: counting)', async () => {
  const [one, other] = ['a =\n', '/b\n'];
  const joined = await tokens.count(one + other);
  expect(joined).not.toBe((await tokens.count(one)) + (await tokens.count(other)));
  expect(await countMessages([user(text(one), text(other))], scale)).toBe(joined + 4);
});

test('a native call and a native result cost 12 tokens each in addition to their text (rule: counting)', async () => {
  const called = await tokens.count(`read_file${JSON.stringify({ path: 'a.ts' })}`);
  const returned = await tokens.count('const a = 1;\n');
  expect(await countMessages([user(call)], scale)).toBe(called + 12 + 4);
  expect(await countMessages([user(result)], scale)).toBe(returned + 12 + 4);
  const thought = await tokens.count('I look.\n');
  expect(await countMessages([user(text('I look.\n'), call, call)], scale)).toBe(
    thought + 2 * (called + 12) + 4,
  );
});

test('merged messages never have more tokens than the sum of their separate weights (rule: prompt-budget)', async () => {
  const unframed = { ...scale, framing: { prompt: 0, message: 0 } };
  const ends = ['x\n', '\n', '=\n', ':\n', '  \n', '/\n', '漢\n', '\t\n'];
  const beginnings = ['/x\n', '//\n', '\n', '\n\n', '  x\n', '\t\n', '\r\n', '\u3000x\n', '<file>\n', 'x\n'];
  for (const end of ends) {
    for (const beginning of beginnings) {
      const alone = await weighMessages([user(text(end)), user(text(beginning))], unframed);
      const merged = await countMessages([user(text(end), text(beginning))], unframed);
      expect({ end, beginning, fits: merged <= alone }).toEqual({ end, beginning, fits: true });
    }
  }
});
