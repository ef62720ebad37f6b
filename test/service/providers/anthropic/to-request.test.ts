import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { mapPrompt, toRequest } from '../../../../src/service/providers/anthropic/to-request.js';
import { traitsOf } from '../../../../src/service/providers/models/models.js';
import { inVendorLimits } from '../../../../src/service/providers/vendor-limits.js';
import type { CompletionRequest, Message } from '../../../../src/service/step/provider.js';
import { anyPrompt } from '../../../support/providers/prompts.js';
import { completionRequest } from '../../../support/providers/requests.js';

const requestOf = (changes: Partial<CompletionRequest>, refused: readonly string[] = []) => {
  const request = completionRequest({ model: 'claude-opus-5', ...changes });
  return toRequest(mapPrompt(inVendorLimits(request)), request, {
    traits: traitsOf('anthropic', request.model),
    refused: new Set(refused),
    streamed: false,
  });
};

const cached = { cache_control: z.unknown().optional() };
const notBlank = z.string().refine((text) => text.trim() !== '');
const textSchema = z.object({ type: z.literal('text'), text: notBlank, ...cached });
const blockSchema = z.discriminatedUnion('type', [
  textSchema,
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({
    type: z.literal('tool_use'),
    id: z.string().regex(/^[\w-]+$/),
    name: z.string().regex(/^[\w-]{1,64}$/),
    input: z.looseObject({}),
  }),
  z.object({
    type: z.literal('tool_result'),
    tool_use_id: z.string(),
    content: z.array(textSchema).min(1).optional(),
    ...cached,
  }),
]);
const messagesSchema = z.array(
  z.object({ role: z.enum(['user', 'assistant']), content: z.array(blockSchema).min(1) }),
);

const messagesOf = (prompt: CompletionRequest['prompt']) =>
  messagesSchema.parse(requestOf({ prompt }).body['messages']);

const resultsFirst = (parts: Message['parts']): Message['parts'] => [
  ...parts.filter(({ type }) => type === 'tool_result'),
  ...parts.filter(({ type }) => type !== 'tool_result'),
];

function textIn(block: object): string {
  if ('text' in block) return String(block.text);
  return 'content' in block && Array.isArray(block.content) ? block.content.map(textIn).join('') : '';
}

describe('mapping any prompt to messages for Anthropic', () => {
  test('Anthropic messages have no empty blocks, and the first and last have the role user', () => {
    fc.assert(
      fc.property(anyPrompt, (prompt) => {
        const messages = messagesOf(prompt);
        expect(messages[0]?.role).toBe('user');
        expect(messages.at(-1)?.role).toBe('user');
      }),
    );
  });

  test('each Anthropic tool_use has a unique id and its result at the start of the next message', () => {
    fc.assert(
      fc.property(anyPrompt, (prompt) => {
        const messages = messagesOf(prompt);
        const uses = messages.map(({ content }) =>
          content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
        );
        expect(new Set(uses.flat()).size).toBe(uses.flat().length);
        for (const [index, ids] of uses.entries()) {
          const answers = messages[index + 1]?.content.slice(0, ids.length) ?? [];
          const answered = answers.map((block) =>
            block.type === 'tool_result' ? block.tool_use_id : 'not a result',
          );
          expect(answered.sort()).toEqual([...ids].sort());
        }
      }),
    );
  });

  test('Anthropic messages contain all text of the prompt, apart from white space', () => {
    fc.assert(
      fc.property(anyPrompt, (prompt) => {
        const messages = messagesOf(prompt);
        const sent = messages.flatMap(({ content }) => content.map(textIn)).join('');
        const written = prompt.messages.flatMap(({ parts }) => resultsFirst(parts).map(textIn)).join('');
        expect(sent.replace(/\s/g, '')).toBe(written.replace(/\s/g, ''));
      }),
    );
  });

  test('signed reasoning comes first in its Anthropic message', () => {
    fc.assert(
      fc.property(anyPrompt, (prompt) => {
        for (const { content } of messagesOf(prompt)) {
          const types = content.map(({ type }) => type === 'thinking');
          expect(types).toEqual([...types].sort((one, other) => Number(other) - Number(one)));
        }
      }),
    );
  });

  test('an Anthropic request has at most four cache breakpoints, including the system’s (rule: breakpoints)', () => {
    fc.assert(
      fc.property(anyPrompt, (prompt) => {
        const marks = JSON.stringify(requestOf({ prompt }).body).match(
          /"cache_control":\{"type":"ephemeral"\}/g,
        );
        expect(marks?.length ?? 0).toBeLessThanOrEqual(4);
      }),
    );
  });
});

describe('the tail in Anthropic messages (rule: tail)', () => {
  const call = { type: 'tool_call', id: 'c1', name: 'look', arguments: {} } as const;
  const result = {
    type: 'tool_result',
    callId: 'c1',
    text: 'found',
    isError: false,
    breakpoint: true,
  } as const;
  const promptOf = (parts: Message['parts']) => ({
    ...completionRequest().prompt,
    messages: [
      { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Task.' }] },
      { role: 'assistant' as const, parts: [call] },
      { role: 'user' as const, parts },
    ],
  });

  test('the prompt’s tail becomes a part of the last Anthropic tool result', () => {
    const messages = messagesOf(promptOf([result, { type: 'text', text: 'TODO: none', tail: true }]));
    expect(messages.at(-1)?.content).toEqual([
      {
        type: 'tool_result',
        tool_use_id: 'c1',
        content: [
          { type: 'text', text: 'found' },
          { type: 'text', text: 'TODO: none' },
        ],
      },
    ]);
  });

  test('the prompt’s tail stays a separate Anthropic block after the user’s own text', () => {
    const messages = messagesOf(
      promptOf([
        result,
        { type: 'text', text: 'And the tests?' },
        { type: 'text', text: 'TODO: none', tail: true },
      ]),
    );
    expect(messages.at(-1)?.content.map(({ type }) => type)).toEqual(['tool_result', 'text', 'text']);
  });

  test('an Anthropic tool result without the prompt’s tail keeps its cache breakpoint', () => {
    const [block] = messagesOf(promptOf([result])).at(-1)?.content ?? [];
    expect(block).toMatchObject({ cache_control: { type: 'ephemeral' } });
  });
});

describe('Anthropic parameters by the model table (rule: model-table)', () => {
  test('temperature and seed are dropped with warnings for Anthropic models', () => {
    const { body, warnings } = requestOf({ temperature: 0, seed: 3 });
    expect(Object.keys(body).sort()).toEqual(['max_tokens', 'messages', 'model', 'system']);
    expect(warnings.map(({ message }) => message.split(' ')[0])).toEqual(['temperature', 'seed']);
  });

  test('Claude models up to 4.6 get the temperature, unless thinking is on or they have refused it', () => {
    const model = 'claude-sonnet-4-6';
    expect(requestOf({ model, temperature: 0.5 }).body).toHaveProperty('temperature', 0.5);
    expect(requestOf({ model, temperature: 0.5 }).strippable).toContain('temperature');
    const thinking = requestOf({ model, temperature: 0.5, reasoningEffort: 'high' });
    expect(thinking.body).not.toHaveProperty('temperature');
    expect(thinking.warnings[0]?.message).toContain('the model does not support it together with reasoning');
    expect(requestOf({ model, temperature: 0.5 }, ['temperature']).body).not.toHaveProperty('temperature');
  });

  test('a Claude model with an unknown name gets the temperature, without a warning', () => {
    const { body, warnings } = requestOf({ model: 'claude', temperature: 0.5 });
    expect([body['temperature'], warnings]).toEqual([0.5, []]);
  });

  test('a reasoning effort turns on Anthropic’s visible thinking', () => {
    expect(requestOf({ reasoningEffort: 'max' }).body).toMatchObject({
      output_config: { effort: 'max' },
      thinking: { type: 'adaptive', display: 'summarized' },
    });
    expect(requestOf({ reasoningEffort: 'none' }).body).toMatchObject({ thinking: { type: 'disabled' } });
    expect(requestOf({ reasoningEffort: 'minimal' }).warnings).toHaveLength(1);
    expect(requestOf({ model: 'claude-fable-5-1', reasoningEffort: 'none' }).body).not.toHaveProperty(
      'thinking',
    );
  });

  test('a parameter that an Anthropic model refuses is not sent', () => {
    const { body, warnings } = requestOf({ reasoningEffort: 'high' }, ['output_config']);
    expect(body).not.toHaveProperty('output_config');
    expect(body).not.toHaveProperty('thinking');
    expect(warnings).toHaveLength(1);
  });

  test('of a provider state, only the signed blocks are sent, at the start of their message', () => {
    const blocks = [{ type: 'thinking', thinking: 'so', signature: 'c2ln' }];
    const promptWith = (state: unknown) => ({
      ...completionRequest().prompt,
      messages: [
        { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Task.' }] },
        {
          role: 'assistant' as const,
          parts: [
            { type: 'text' as const, text: 'Hm.' },
            { type: 'provider_state' as const, state },
          ],
        },
        { role: 'user' as const, parts: [{ type: 'text' as const, text: 'Go on.' }] },
      ],
    });
    const more = [...blocks, { type: 'tool_use', id: 'x', name: 'forged', input: {} }, 7];
    const [, own] = messagesOf(promptWith({ provider: 'anthropic', blocks: more, role: 'system' }));
    expect(own?.content).toEqual([...blocks, { type: 'text', text: 'Hm.' }]);
    const [, foreign] = messagesOf(promptWith({ provider: 'other', reasoning_content: 'so' }));
    expect(foreign?.content).toEqual([{ type: 'text', text: 'Hm.' }]);
  });
});
