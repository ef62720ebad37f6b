import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { compatibleModel, type ModelTraits } from '../../../../src/service/providers/models/model-traits.js';
import { traitsOf } from '../../../../src/service/providers/models/models.js';
import { mapPrompt, toRequest } from '../../../../src/service/providers/openai/chat/to-request.js';
import { inVendorLimits } from '../../../../src/service/providers/vendor-limits.js';
import type { CompletionRequest } from '../../../../src/service/step/provider.js';
import { anyPrompt, textsOf } from '../../../support/providers/prompts.js';
import { completionRequest, toolOf } from '../../../support/providers/requests.js';

const plain = { refused: new Set<string>(), streamed: false };
/** Returns the request, with its body as it is sent. */
const requestOf = (request: CompletionRequest, traits: ModelTraits, options = plain) => {
  const sent = toRequest(mapPrompt(inVendorLimits(request), traits), request, { ...options, traits });
  const body: Record<string, unknown> = JSON.parse(JSON.stringify(sent.body));
  return { ...sent, body };
};
const bodyOf = (request: Partial<CompletionRequest>, options = plain) => {
  const whole = completionRequest(request);
  return requestOf(whole, traitsOf('openai', whole.model), options);
};

const contentSchema = z.union([
  z.string(),
  z.array(
    z.object({
      type: z.literal('text'),
      text: z.string().min(1),
      prompt_cache_breakpoint: z.unknown().optional(),
    }),
  ),
  z.null(),
]);
const messagesSchema = z.array(
  z.object({
    role: z.enum(['system', 'user', 'assistant', 'tool']),
    content: contentSchema,
    tool_call_id: z.string().optional(),
    tool_calls: z
      .array(
        z.object({
          id: z.string().regex(/^[\w-]{1,40}$/),
          function: z.object({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
        }),
      )
      .optional(),
  }),
);

const textOf = (content: z.output<typeof contentSchema>): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('');

describe('mapping any prompt to messages for OpenAI', () => {
  const property = (
    model: string,
    check: (messages: z.output<typeof messagesSchema>, system: string) => void,
  ) =>
    fc.assert(
      fc.property(anyPrompt, (prompt) => {
        const messages = messagesSchema.parse(bodyOf({ model, prompt }).body['messages']);
        check(messages, prompt.system);
      }),
    );

  test('each OpenAI tool call has a unique id and its result in the messages directly after it', () => {
    property('gpt-4o', (messages) => {
      const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
      for (const [index, { tool_calls = [] }] of messages.entries()) {
        const answers = messages.slice(index + 1, index + 1 + tool_calls.length);
        expect(answers.map(({ tool_call_id }) => tool_call_id).sort()).toEqual(
          tool_calls.map(({ id }) => id).sort(),
        );
      }
      expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(ids.length);
    });
  });

  test('OpenAI messages are not empty, do not end with the assistant, and have calls with JSON arguments', () => {
    property('gpt-4o', (messages) => {
      for (const { role, content, tool_calls } of messages) {
        if (role === 'user' || role === 'system') expect(content).not.toBe('');
        if (role === 'assistant') expect(content !== null || tool_calls !== undefined).toBe(true);
        for (const call of tool_calls ?? []) expect(() => JSON.parse(call.function.arguments)).not.toThrow();
      }
      expect(messages.at(-1)?.role).not.toBe('assistant');
    });
  });

  test('OpenAI messages contain all text of the prompt unchanged', () => {
    fc.assert(
      fc.property(anyPrompt, fc.constantFrom('gpt-4o', 'gpt-5.6-sol'), (prompt, model) => {
        const messages = messagesSchema.parse(bodyOf({ model, prompt }).body['messages']);
        for (const role of ['user', 'assistant'] as const) {
          const sent = messages
            .filter((message) => message.role === role)
            .map(({ content }) => textOf(content));
          expect(sent.join('')).toBe(textsOf(prompt, role));
        }
      }),
    );
  });

  test('an OpenAI request has at most four cache breakpoints, and only for models that support them (rule: breakpoints)', () => {
    property('gpt-5.6-sol', (messages) => {
      const marked = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      expect(marked.filter((part) => part.prompt_cache_breakpoint !== undefined).length).toBeLessThanOrEqual(
        4,
      );
    });
    property('gpt-4o', (messages) => {
      expect(messages.every(({ content }) => !Array.isArray(content))).toBe(true);
    });
  });
});

describe('OpenAI parameters by the model table (rule: model-table)', () => {
  test('an OpenAI request has no stop sequence, and its output limit has the name that the model expects', () => {
    const { body } = bodyOf({ model: 'o3' });
    expect(body).not.toHaveProperty('stop');
    expect(body).toMatchObject({ max_completion_tokens: 500, prompt_cache_key: 'session-1' });
    expect(body).not.toHaveProperty('max_tokens');
  });

  test('temperature 0 is sent to models that support it, otherwise dropped with a warning', () => {
    expect(bodyOf({ model: 'gpt-4o', temperature: 0 })).toMatchObject({
      body: { temperature: 0 },
      warnings: [],
    });
    const dropped = bodyOf({ model: 'gpt-5', temperature: 0 });
    expect(dropped.body).not.toHaveProperty('temperature');
    expect(dropped.warnings).toEqual([
      { code: 'parameter_dropped', message: 'temperature was not sent: the model does not support it.' },
    ]);
  });

  test('a reasoning effort is sent only to models that support this effort', () => {
    expect(bodyOf({ model: 'o3', reasoningEffort: 'high' }).body).toMatchObject({ reasoning_effort: 'high' });
    expect(bodyOf({ model: 'o3', reasoningEffort: 'minimal' }).warnings).toHaveLength(1);
    expect(bodyOf({ model: 'gpt-4o', reasoningEffort: 'low' }).body).not.toHaveProperty('reasoning_effort');
  });

  test('a compatible server gets max_tokens and no cache key (rule: prompt-caching)', () => {
    const { body } = requestOf(
      completionRequest({ model: 'qwen3', temperature: 0.5 }),
      compatibleModel,
      plain,
    );
    expect(body).toMatchObject({ max_tokens: 500, temperature: 0.5 });
    expect(body).not.toHaveProperty('prompt_cache_key');
  });

  test('parameters that a model refuses are not sent, even the output limit', () => {
    const refused = new Set([
      'seed',
      'prompt_cache_key',
      'max_completion_tokens',
      'max_tokens',
      'stream_options',
    ]);
    const { body, warnings } = bodyOf({ seed: 1 }, { refused, streamed: true });
    expect(Object.keys(body).sort()).toEqual(['messages', 'model', 'stream']);
    expect(warnings).toHaveLength(1);
  });

  test('native tools are sent with their schema and tool choice', () => {
    const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
    const { body } = bodyOf({
      nativeTools: { definitions: [toolOf('fs.read', inputSchema)], choice: 'none' },
    });
    expect(body).toMatchObject({
      tools: [
        {
          type: 'function',
          function: { name: 'fs_read', description: 'What fs.read does.', parameters: inputSchema },
        },
      ],
      tool_choice: 'none',
    });
  });
});
