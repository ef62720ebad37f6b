import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Attachment } from '../../../src/contract/attachment.js';
import { stepRequestSchema } from '../../../src/contract/step-request.js';
import { StepRefused } from '../../../src/service/step/interruption.js';
import { attachmentsOf } from '../../../src/service/step/prompt/weigh-messages.js';
import type { ModelProfile } from '../../../src/service/step/provider.js';
import type { RenderedPrompt } from '../../../src/service/step/render-prompt.js';
import { pdf, png } from '../../support/attachments.js';
import { prepare, textOf } from '../../support/prepare.js';

const uuid = '0b9e2f7e-5a57-4c7a-9c0a-1f3d5f6a7b8c';
const tiles: ModelProfile['vision'] = { kind: 'tiles', base: 85, tile: 170 };

const tools = [{ name: 'look', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }];

const requestOf = ({ tokenLimit = 16_000, ...fields }: Record<string, unknown>) =>
  stepRequestSchema.parse({
    project_id: uuid,
    session_id: uuid,
    user_query: 'What is in it?',
    conversation_history: [],
    tools,
    max_iterations_left: 5,
    llm_config: { modelName: 'm', provider: 'local', tokenLimit, reservedOutputTokens: 200 },
    ...fields,
  });

const seen = ({ prompt }: RenderedPrompt) =>
  prompt.messages.flatMap(({ parts }) => parts.flatMap((part) => attachmentsOf(part)));

const rows = ({ report }: RenderedPrompt) => report.items.filter(({ kind }) => kind === 'attachment');

/** Returns the turns of a step: a call of `look`, and its result with these attachments. */
const looked = (attachments: readonly Attachment[], content = 'seen') => [
  { role: 'assistant', content: 'I look.', toolCall: { name: 'look', parameters: { path: 'a' } } },
  { role: 'tool_observation', content, attachments },
];

const anyAttachment = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 3_000 })).map(([w, h]) => png(w, h)),
  fc.integer({ min: 1, max: 3 }).map(pdf),
);
const attachments = fc.array(anyAttachment, { maxLength: 5 });
const turns = fc
  .array(
    fc.oneof(
      fc
        .record({ content: fc.lorem({ maxCount: 40 }), attachments })
        .map((turn) => [{ role: 'user', ...turn }]),
      fc.tuple(attachments, fc.lorem({ maxCount: 60 })).map(([files, text]) => looked(files, text)),
      fc.lorem({ maxCount: 60 }).map((content) => [{ role: 'assistant', content }]),
      fc.record({ content: fc.lorem(), attachments }).map((turn) => [{ role: 'tool_observation', ...turn }]),
    ),
    { maxLength: 12 },
  )
  .map((all) => all.flat());

const anyRequest = fc
  .record({
    conversation_history: turns,
    attachments,
    protocol: fc.constantFrom('native', 'text', 'xml', 'json'),
    tokenLimit: fc.integer({ min: 700, max: 16_000 }),
    max_iterations_left: fc.constantFrom(1, 5),
    inline_context: fc.constantFrom(undefined, { files: [{ path: 'a.md', content: 'word '.repeat(2_000) }] }),
    explicit_context_paths: fc.constant(['a.md']),
  })
  .map((fields) => requestOf(fields));

async function prepareIfFits(request: ReturnType<typeof requestOf>, profile: Partial<ModelProfile>) {
  try {
    return await prepare(request, profile);
  } catch (error) {
    if (error instanceof StepRefused && error.code === 'token_budget_exceeded') return undefined;
    throw error;
  }
}

describe('attachments in the budget (rule: attachments)', () => {
  test('with attachments, prompt and output reserve never exceed the limit, and the report has one correct row per attachment', async () => {
    let shown = 0;
    let leftOut = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest, fc.constantFrom(1, 1.4), async (request, countMargin) => {
        const prepared = await prepareIfFits(request, { vision: tiles, countMargin });
        if (!prepared) return;
        const { report } = prepared;
        const { tokenLimit, reservedOutputTokens } = request.llm_config;
        expect(report.prompt_tokens + reservedOutputTokens).toBeLessThanOrEqual(tokenLimit);
        expect(report.sections.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(report.prompt_tokens);
        const files = [...request.conversation_history, request].flatMap((each) => each.attachments ?? []);
        const items = rows(prepared);
        expect(items).toHaveLength(files.length);
        expect(new Set(items.map(({ id }) => id)).size).toBe(files.length);
        const included = items.filter(({ status }) => status === 'included');
        const sent = seen(prepared);
        expect(sent.map(({ tokens }) => tokens).sort()).toEqual(included.map(({ tokens }) => tokens).sort());
        shown += sent.length;
        leftOut += items.length - included.length;
      }),
      { numRuns: 300 },
    );
    expect(shown).toBeGreaterThan(100);
    expect(leftOut).toBeGreaterThan(100);
  });

  test('attachments are dropped before text: if turns are cut, at most one attachment remains before the last of them', async () => {
    let cut = 0;
    await fc.assert(
      fc.asyncProperty(anyRequest, async (request) => {
        const prepared = await prepareIfFits(request, { vision: tiles });
        const isCut = prepared?.report.items.some(
          ({ kind, status }) => kind === 'turn' && /masked|dropped/.test(status),
        );
        if (!prepared || !isCut) return;
        cut += 1;
        const included = rows(prepared).filter(({ status }) => status === 'included');
        // Only attachments before the last shortened turn are limited; later ones may all stay.
        const lastCut = prepared.report.items.findLastIndex(
          ({ kind, status }) => kind === 'turn' && /masked|dropped/.test(status),
        );
        const before = included.filter((row) => prepared.report.items.indexOf(row) < lastCut);
        expect(before.length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
    expect(cut).toBeGreaterThan(10);
  });

  test('the newest attachment of a task stays if it fits next to the task’s text, even if the context gets less', async () => {
    const request = requestOf({
      tokenLimit: 2_600,
      inline_context: { files: [{ path: 'a.md', content: 'word '.repeat(5_000) }] },
      explicit_context_paths: ['a.md'],
      attachments: [png(1024, 1024), png(1000, 1000)],
    });
    const prepared = await prepare(request, { vision: tiles });
    expect(rows(prepared)).toMatchObject([
      { id: '0.0', status: 'dropped', tokens: 0, original_tokens: 765 },
      { id: '0.1', status: 'included', tokens: 765 },
    ]);
    expect(textOf(prepared.prompt.messages.at(-1) ?? { role: 'user', parts: [] })).toContain(
      '[1 × image/png left out: you cannot see this]',
    );
  });

  test('the attachments of the oldest turns are left out first, and those of later turns are sent', async () => {
    const history = Array.from({ length: 12 }, () => looked([png(1024, 1024)])).flat();
    const prepared = await prepare(requestOf({ conversation_history: history, tokenLimit: 8_000 }), {
      vision: tiles,
    });
    const statuses = rows(prepared).map(({ status }) => status);
    expect(statuses).toEqual([...statuses].sort()); // dropped, then included
    expect(new Set(statuses).size).toBe(2);
    expect(
      prepared.report.items.filter(({ kind, status }) => kind === 'turn' && status !== 'included'),
    ).toEqual([]);
  });

  test('an attachment that was left out stays out in all later steps, and cuts are rare', async () => {
    const history: object[] = [];
    let before: readonly string[] = [];
    let changes = 0;
    for (let step = 0; step < 30; step += 1) {
      history.push(...looked([png(1024, 1024 + step)]));
      const request = requestOf({
        user_query: 'Look.',
        conversation_history: [{ role: 'user', content: 'Look.' }, ...history],
        tokenLimit: 12_000,
      });
      const prepared = await prepare(request, { vision: tiles });
      const left = rows(prepared).flatMap(({ id, status }) => (status === 'dropped' ? [id] : []));
      expect(left).toEqual(expect.arrayContaining([...before]));
      if (left.length > before.length) changes += 1;
      before = left;
    }
    expect(changes).toBeGreaterThan(0);
    expect(changes).toBeLessThan(8);
  });

  test('at most 100 of 1,000 tiny images are sent, the newest', async () => {
    const tiny = Array.from({ length: 1_000 }, () => png(1, 1));
    const prepared = await prepare(requestOf({ attachments: tiny, tokenLimit: 900_000 }), {});
    const statuses = rows(prepared).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'included')).toHaveLength(100);
    expect(statuses.slice(900)).toEqual(Array.from({ length: 100 }, () => 'included'));
  });

  test('a PDF larger than the whole budget is left out, and the prompt still has the task', async () => {
    const prepared = await prepare(requestOf({ attachments: [pdf(100)] }), { vision: tiles });
    expect(rows(prepared)).toMatchObject([{ status: 'dropped', original_tokens: 300_000 }]);
    expect(prepared.prompt.messages.map(textOf).join('')).toContain('What is in it?');
  });

  test('counting is exact for an image whose token formula is known, and estimated for a PDF or an image with an incomplete header', async () => {
    const counting = async (attachments: readonly Attachment[]) =>
      (await prepare(requestOf({ attachments }), { vision: tiles })).report.counting;
    expect(await counting([png(10, 10)])).toBe('exact');
    expect(await counting([pdf(1)])).toBe('estimated');
    expect(await counting([{ media_type: 'image/webp', data: 'UklGRg==' }])).toBe('estimated');
  });
});

describe('attachments of a model that cannot see (rule: attachments)', () => {
  test.each([
    'text',
    'xml',
    'json',
    'native',
  ])('attachments for a model that cannot see become a placeholder, a report row and a warning with protocol %s', async (protocol) => {
    const request = requestOf({
      protocol,
      conversation_history: looked([png(9, 9), pdf(1)]),
      attachments: [png(5, 5)],
    });
    const prepared = await prepare(request, { vision: 'none' });
    expect(seen(prepared)).toEqual([]);
    const text = prepared.prompt.messages.map(textOf).join('');
    expect(text).toContain('[1 × image/png, 1 × application/pdf left out: you cannot see this]');
    expect(rows(prepared).map(({ id, status, reason }) => [id, status, reason])).toEqual([
      ['1.0', 'dropped', 'the model cannot see'],
      ['1.1', 'dropped', 'the model cannot see'],
      ['2.0', 'dropped', 'the model cannot see'],
    ]);
    expect(prepared.situation.warnings.map(({ code }) => code)).toEqual(['attachments_not_seen']);
  });
});

test('a model gets the image if it is unknown whether it can see images (rule: attachments)', async () => {
  const prepared = await prepare(requestOf({ attachments: [png(5, 5)] }), {});
  expect(seen(prepared)).toMatchObject([{ media_type: 'image/png' }]);
});

test('attachments of an assistant turn are reported and not sent (rule: attachments)', async () => {
  const history = [
    { role: 'user', content: 'Draw.' },
    { role: 'assistant', content: 'Done.', attachments: [png(5, 5)] },
  ];
  const prepared = await prepare(requestOf({ conversation_history: history }), {});
  expect(seen(prepared)).toEqual([]);
  expect(rows(prepared)).toMatchObject([
    { id: '1.0', status: 'dropped', reason: expect.stringContaining('assistant') },
  ]);
  expect(prepared.situation.warnings.map(({ code }) => code)).toEqual(['attachments_ignored']);
});

test('a task that is only an image is sent without an empty text', async () => {
  const prepared = await prepare(requestOf({ user_query: '', attachments: [png(5, 5)] }), {});
  expect(prepared.situation.newTurn).toMatchObject({ role: 'user', content: '', attachments: [png(5, 5)] });
  const [message] = prepared.prompt.messages;
  expect(message?.parts.map(({ type }) => type)).toEqual(['attachment']);
});

test('a query that already ends the history is not added again if its attachments are omitted or equal (rule: task-turn)', async () => {
  const conversation_history = [{ role: 'user', content: 'What is in it?', attachments: [png(5, 5)] }];
  const newTurn = async (fields: object) =>
    (await prepare(requestOf({ conversation_history, ...fields }), {})).situation.newTurn;
  expect(await newTurn({})).toBeUndefined();
  expect(await newTurn({ attachments: [png(5, 5)] })).toBeUndefined();
  expect(await newTurn({ attachments: [png(6, 6)] })).toMatchObject({ content: 'What is in it?' });
});
