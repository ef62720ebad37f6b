import { validate } from '@cfworker/json-schema';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import type { JsonValue } from '../../../src/parsing/index.js';
import {
  anthropicSchema,
  llamaSchema,
  openaiSchema,
  strictSchema,
} from '../../../src/service/providers/models/schema-dialects.js';
import type { Completion, ModelProfile } from '../../../src/service/step/provider.js';
import { reactStep, type StepObserver, type StepResult } from '../../../src/service/step/react-step.js';
import { completionOf } from '../../support/completion.js';
import { profile, untraced } from '../../support/prepare.js';
import { answersOf, type Dialect } from '../../support/schema-values.js';
import { stepRequest } from '../../support/step-request.js';
import { wordCounter } from '../../support/word-counter.js';

const dialects = {
  openai: openaiSchema,
  strict: strictSchema,
  anthropic: anthropicSchema,
  llama: llamaSchema,
} as const satisfies Record<Dialect, ModelProfile['structured']>;

const tools = [{ name: 'search', inputSchema: { type: 'object', properties: { q: { type: 'string' } } } }];

interface Trial {
  readonly structured?: ModelProfile['structured'];
  readonly isStreamed?: boolean;
}

/** Makes a step whose model replies with the given completion. */
async function stepWith(
  fields: Partial<StepRequestInput>,
  changes: Partial<Completion>,
  { structured = 'none', isStreamed = false }: Trial = {},
): Promise<StepResult> {
  const completion = completionOf(changes.text ?? '', changes);
  const provider = {
    name: 'test',
    complete: async () => completion,
    stream: async function* () {
      for (const delta of completion.text.match(/[\s\S]{1,7}/g) ?? []) yield { type: 'text', delta } as const;
      yield { type: 'completion', completion } as const;
    },
  };
  const dependencies = {
    provider,
    profile: { ...profile, structured },
    tokens: wordCounter,
    deadline: { signal: new AbortController().signal, remainingMs: () => 60_000 },
    sources: [],
    during: untraced,
    redact: (text: string) => text,
    now: () => new Date(),
  };
  const llm_config = { modelName: 'm', tokenLimit: 1_000_000, reservedOutputTokens: 1_000 };
  const request = stepRequest({ tools, llm_config, ...fields });
  return reactStep(request, dependencies, isStreamed ? silent : undefined);
}

const silent: StepObserver = {
  contextBuilt: async () => {},
  delta: async () => {},
  actionProposed: async () => {},
};

/** Returns a request with a protocol, and a reply with the value in the form that this protocol asks for. */
type Writing = (value: JsonValue) => readonly [Partial<StepRequestInput>, Partial<Completion>];

const written: Readonly<Record<string, Writing>> = {
  text: (value) => [{ protocol: 'text' }, { text: `Thought: seen.\nFinal Answer: ${JSON.stringify(value)}` }],
  'text in a fence': (value) => [
    { protocol: 'text' },
    { text: `Final Answer:\n\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`` },
  ],
  xml: (value) => [
    { protocol: 'xml' },
    { text: `Seen.\n<final_answer>${JSON.stringify(value)}</final_answer>` },
  ],
  json: (value) => [{ protocol: 'json' }, { text: JSON.stringify({ thought: 'seen', final_answer: value }) }],
  'json under action': (value) => [
    { protocol: 'json' },
    { text: JSON.stringify({ thought: 'seen', action: { final_answer: value } }) },
  ],
  'native text': (value) => [{ protocol: 'native' }, { text: JSON.stringify(value) }],
  'the reserved tool': (value) => [
    { protocol: 'native' },
    { toolCalls: [{ id: 'a', name: 'final_answer', arguments: JSON.stringify({ answer: value }) }] },
  ],
};

const runs = Number(process.env['TYPED_RUNS'] ?? 120);

test.each(
  Object.keys(written),
)('any value that is valid for its schema is returned equal through %s (rule: typed-answers)', async (name) => {
  const write = written[name];
  if (!write) throw new Error(name);
  await fc.assert(
    fc.asyncProperty(answersOf('llama'), fc.boolean(), async ({ schema, value }, isStreamed) => {
      const [fields, completion] = write(value);
      const step = await stepWith({ ...fields, answer_schema: schema }, completion, { isStreamed });
      expect(step).toMatchObject({
        status: 'direct_response_provided',
        answer: value,
        correction: null,
        parse: { outcome: 'answer', problem: null },
      });
      expect(step.answer).toEqual(value);
    }),
    { numRuns: runs },
  );
});

test.each(
  Object.keys(dialects) as Dialect[],
)('a value that matches the converted schema for %s is returned in the shape of the caller’s schema (rules: typed-answers, reversible-schema)', async (dialect) => {
  const structured = dialects[dialect];
  await fc.assert(
    fc.asyncProperty(answersOf(dialect), fc.boolean(), async ({ schema, value, image }, isStreamed) => {
      const reply = structured.unionAtRoot ? { final_answer: image } : { action: { final_answer: image } };
      const text = JSON.stringify({ thought: 'seen', ...reply });
      const step = await stepWith(
        { protocol: 'json', answer_schema: schema },
        { text, isConstrained: true },
        { structured, isStreamed },
      );
      expect(step.answer).toEqual(value);
      expect(step.parse).toMatchObject({ outcome: 'answer', problem: null, confidence: 'constrained' });
    }),
    { numRuns: runs },
  );
});

test.each(
  Object.keys(written),
)('a %s reply that does not match the schema is never returned as an answer (rule: typed-answers)', async (name) => {
  const write = written[name];
  if (!write) throw new Error(name);
  await fc.assert(
    fc.asyncProperty(
      answersOf('llama'),
      answersOf('llama'),
      fc.boolean(),
      async ({ schema }, { value }, isStreamed) => {
        fc.pre(!validate(value, schema, '2019-09').valid);
        const [fields, completion] = write(value);
        const step = await stepWith({ ...fields, answer_schema: schema }, completion, { isStreamed });
        expect(step).toMatchObject({
          status: 'direct_response_provided',
          answer: null,
          correction: { role: 'user', kind: 'notice' },
          parse: { outcome: 'answer', problem: expect.stringContaining('answer_schema') },
        });
        expect(step.direct_response).not.toBeNull();
      },
    ),
    { numRuns: runs },
  );
});
