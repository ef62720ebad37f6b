import fc from 'fast-check';
import type { Message, Part, Prompt } from '../../../src/service/step/provider.js';

/** Texts of any kind, including blank and empty ones. */
const anyText = fc.oneof(fc.string(), fc.constantFrom('', ' ', '\n', 'Thought: look'));
const textPart = fc.record({ type: fc.constant('text' as const), text: anyText, breakpoint: fc.boolean() });
const statePart: fc.Arbitrary<Part> = fc.record({
  type: fc.constant('provider_state' as const),
  state: fc.oneof(
    fc.constant({ provider: 'anthropic', blocks: [{ type: 'thinking', thinking: 'so', signature: 'c2ln' }] }),
    fc.anything(),
  ),
});
/** Calls with any names and ids that a caller may write, including duplicate ids. */
const callPart = fc.record({
  type: fc.constant('tool_call' as const),
  id: fc.oneof(fc.constantFrom('call_1', 'call_2'), fc.string({ minLength: 1 })),
  name: fc.oneof(
    fc.constantFrom('read_file', 'fs.read', 'fs_read'),
    fc.string({ minLength: 1, maxLength: 150 }),
  ),
  arguments: fc.dictionary(fc.string(), fc.jsonValue()),
});

/** A part of a conversation: texts and calls of the model, a result for each call, and texts of the user. */
const exchange: fc.Arbitrary<readonly Message[]> = fc
  .record({
    said: fc.array(fc.oneof(textPart, statePart), { maxLength: 3 }),
    calls: fc.array(callPart, { maxLength: 3 }),
    results: fc.array(fc.record({ text: anyText, isError: fc.boolean(), breakpoint: fc.boolean() }), {
      minLength: 3,
      maxLength: 3,
    }),
    reply: fc.array(textPart, { maxLength: 2 }),
    tail: fc.boolean(),
  })
  .map(({ said, calls, results, reply, tail }) => [
    { role: 'assistant', parts: [...said, ...calls] },
    {
      role: 'user',
      parts: [
        ...calls.map(({ id }, index) => ({
          type: 'tool_result' as const,
          callId: id,
          text: '',
          isError: false,
          ...results[index],
        })),
        ...reply,
        { type: 'text', text: 'Continue.', tail },
      ],
    },
  ]);

/**
 * Prompts that satisfy the Provider interface: roles alternate, the first and the last message are the user's, and
 * every call has a result.
 */
export const anyPrompt: fc.Arbitrary<Prompt> = fc
  .record({
    system: fc.oneof(fc.constant(''), fc.string()),
    systemBreakpoint: fc.boolean(),
    opening: fc.array(textPart, { maxLength: 2 }),
    exchanges: fc.array(exchange, { maxLength: 5 }),
  })
  .map(({ system, systemBreakpoint, opening, exchanges }) => ({
    system,
    systemBreakpoint,
    messages: [{ role: 'user', parts: [...opening, { type: 'text', text: 'Task.' }] }, ...exchanges.flat()],
  }));

export const textsOf = ({ messages }: Prompt, role: Message['role']): string =>
  messages
    .filter((message) => message.role === role)
    .flatMap(({ parts }) => parts)
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('');
