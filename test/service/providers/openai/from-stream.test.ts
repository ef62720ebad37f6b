import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { traitsOf } from '../../../../src/service/providers/models/models.js';
import { fromStream } from '../../../../src/service/providers/openai/from-stream.js';
import { openaiClient, openaiVendor } from '../../../../src/service/providers/openai/provider.js';
import type { CompletionEvent } from '../../../../src/service/step/provider.js';
import { collect, draftOf } from '../../../support/providers/requests.js';

const client = openaiClient('http://127.0.0.1:9');
const { body: _, ...draft } = draftOf(
  openaiVendor({ name: 'openai', client, key: undefined, traits: traitsOf('openai', 'gpt-4o') }),
);

/** What is told of chunks that all arrive at once, each padded with what belongs to it. */
function told(texts: readonly string[], padding: (index: number) => object): Promise<CompletionEvent[]> {
  const chunks = texts.map((content, index) =>
    JSON.stringify({ id: 'c1', choices: [{ delta: { content }, finish_reason: null }], ...padding(index) }),
  );
  const end = JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }] });
  return collect(fromStream(inOneRead([...chunks, end, '[DONE]']), draft, 'openai'));
}

async function* inOneRead(chunks: readonly string[]): AsyncGenerator<string> {
  yield chunks.map((data) => `data: ${data}\n\n`).join('');
}

const words = ',"obfuscation":"';
const text = fc.oneof(fc.string(), fc.constantFrom('"}', `${words}a"}`, '\\', 'word', `${words}`));

test('chunks say the same however they are padded (rule: stream-events)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(text, { maxLength: 12 }),
      fc.array(fc.oneof(text, fc.base64String()), { minLength: 1 }),
      async (texts, paddings) => {
        const bare = await told(texts, () => ({}));
        const padded = await told(texts, (index) => ({ obfuscation: paddings[index % paddings.length] }));
        expect(padded).toEqual(bare);
      },
    ),
  );
});

test('what looks like padding inside of a text or before its end is none', async () => {
  const texts = [`a${words}b"}`, 'c', `${words}x"}`, 'd'];
  const events = await told(texts, (index) => ({ obfuscation: 'x', last: `${words}${index}` }));
  expect(events[0]).toEqual({ type: 'text', delta: texts.join('') });
});

/** One chunk of so many parts of calls. */
const calling = (parts: number, more: string): Promise<CompletionEvent[]> => {
  const tool_calls = Array.from({ length: parts }, (_, index) => ({
    index: index % 2,
    id: `call_${index % 2}`,
    function: { name: 'write', arguments: index < 2 ? `{"part": "${more}` : '' },
  }));
  const closing = [0, 1].map((index) => ({ index, function: { arguments: '"}' } }));
  const choices = [{ delta: { tool_calls: [...tool_calls, ...closing] }, finish_reason: 'tool_calls' }];
  const stream = inOneRead([JSON.stringify({ id: 'c1', choices }), '[DONE]']);
  return collect(fromStream(stream, draft, 'openai'));
};

test('a chunk of any length is read as one of few characters, in turns (rule: loop-share)', async () => {
  const long = 'line of a file '.repeat(20_000);
  const [short] = await calling(4, 'x');
  const [told] = await calling(4, long);
  expect(JSON.parse(JSON.stringify(told).replaceAll(long, 'x'))).toEqual(JSON.parse(JSON.stringify(short)));
  expect(JSON.stringify(short)).toContain('write');
});

test('a chunk of more parts of calls than any model sends is no answer (rule: native-calling)', async () => {
  await expect(calling(4_090, 'x')).resolves.toHaveLength(1);
  await expect(calling(4_095, 'x')).rejects.toHaveProperty('failure.failure', 'invalid_response');
});
