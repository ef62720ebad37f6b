import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { StepRequestInput } from '../../../src/contract/step-request.js';
import {
  leftOut,
  linesInWords,
  nameOf,
  sizeInWords,
} from '../../../src/playground/inspect/context/left-out.js';
import { canBePinned, pinnedIn } from '../../../src/playground/inspect/context/pin.js';
import { findLimit, isWhole } from '../../../src/playground/inspect/context/raised-limit.js';
import { changesBetween, changesInWords } from '../../../src/playground/inspect/context/what-if.js';
import { contextOf, withFullReport, withLimit } from '../../../src/playground/inspect/requests.js';
import { patientClient } from '../../support/patient-client.js';
import { stepRequest } from '../../support/step-request.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const file = (path: string, lines: number) => ({
  path,
  content: Array.from({ length: lines }, (_, index) => `const ${path.charAt(0)}${index} = ${index};`).join(
    '\n',
  ),
});
const files = ['a.ts', 'b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts'].map((path) => file(path, 90));

function crowded(fields: Partial<StepRequestInput> = {}): StepRequestInput {
  return stepRequest({
    explicit_context_paths: [...files.map(({ path }) => path), 'missing.ts'],
    inline_context: { files },
    llm_config: { modelName: 'gpt-4o', tokenLimit: 2_600, reservedOutputTokens: 500 },
    ...fields,
  });
}

async function reportOf(request: StepRequestInput) {
  const client = patientClient(service.url);
  return (await client.preview(withFullReport(request))).context_report;
}

const itemNamed = async (request: StepRequestInput, id: string) =>
  (await reportOf(request)).items.find((item) => item.id === id);

test('the page writes "line" for one line and "lines" for several (rule: context-report)', () => {
  expect(['1', '3-9', '1-2, 7-8'].map(linesInWords)).toEqual(['line 1', 'lines 3-9', 'lines 1-2, 7-8']);
});

test('the page counts the deferred tools and how many of them were found, and lists the found ones as included (rule: deferred-report)', async () => {
  const tools = ['send_mail', 'create_issue'].map((name) => ({ name, inputSchema: {}, defer: true }));
  const conversation_history: StepRequestInput['conversation_history'] = [
    { role: 'user', content: 'Report it.' },
    {
      role: 'assistant',
      content: '',
      toolCall: { id: 'a', name: 'find_tools', parameters: { query: 'bug' } },
    },
    {
      role: 'tool_observation',
      content: 'Found: create_issue',
      toolCallId: 'a',
      tool_definitions: [{ name: 'create_issue' }],
    },
  ];
  const report = await reportOf(
    crowded({ user_query: '', tools, conversation_history, explicit_context_paths: [] }),
  );
  const groups = leftOut(report).map(({ what, why, items }) => [what, why, items.map(nameOf)]);
  expect(groups).toEqual([
    ['deferred', '2 tools are deferred. Searches found 1. The prompt lists 2 by name.', ['Tools to find']],
  ]);
  const found = report.items.filter(({ kind, status }) => kind === 'tool' && status === 'included');
  expect(found.map(nameOf)).toEqual(['create_issue']);
  expect(report.items.filter(({ kind }) => kind === 'tool').some(canBePinned)).toBe(false);
});

describe('items left out of a step (rule: context-report)', () => {
  test('items left out of a step are listed with a reason and their size', async () => {
    const groups = leftOut(await reportOf(crowded()));
    const named = groups.map(({ what, why, items }) => [what, why, items.map(nameOf)]);
    expect(named).toEqual([
      ['cut', 'Only a part fits its share of the budget for files.', expect.arrayContaining(['a.ts'])],
      [
        'left out',
        'No room left: items requested earlier used the whole share for files.',
        expect.arrayContaining(['f.ts']),
      ],
      ['unavailable', 'It was not found, or it may not be read.', ['missing.ts']],
    ]);
    const known = new Map([['missing.ts', 'It is not text.']]);
    const told = leftOut(await reportOf(crowded()), known).map(({ why }) => why);
    expect(told).toEqual([...groups.slice(0, 2).map(({ why }) => why), 'It is not text.']);
    const dropped = groups[1]?.items.at(-1);
    expect(dropped && sizeInWords(dropped)).toMatch(/^would have taken [\d.]+k? tokens$/);
    const cut = groups[0]?.items[0];
    expect(cut && sizeInWords(cut)).toMatch(/^\d+ of [\d.]+k? tokens, lines 1-\d+/);
  });

  test('the page shows an unknown reason for an omission in the service’s own words', () => {
    const item = { kind: 'explicit', id: 'x', tokens: 0, original_tokens: null, lines: null } as const;
    const [group] = leftOut({ items: [{ ...item, status: 'dropped', reason: 'of something new' }] });
    expect(group?.why).toBe('Of something new.');
  });

  test('the page numbers turns of the history from one', () => {
    expect(nameOf({ kind: 'turn', id: '0' })).toBe('Turn 1 of the history');
    expect(nameOf({ kind: 'turn', id: '1+2' })).toBe('Turns 2 to 3 of the history');
  });
});

describe('pinning an item (rule: playground-inspector)', () => {
  test('pinning includes an item that was left out of a step', async () => {
    const before = await itemNamed(crowded(), 'f.ts');
    expect(before).toMatchObject({ status: 'dropped', tokens: 0 });
    const pinned = before && pinnedIn(crowded(), before, undefined);
    const after = pinned && (await itemNamed(pinned, 'f.ts'));
    expect(after?.tokens).toBeGreaterThan(200);
  });

  test('pinning includes the whole of a file that takes at most half of the budget', async () => {
    const small = [...files, file('small.ts', 40)];
    const request = crowded({
      explicit_context_paths: small.map(({ path }) => path),
      inline_context: { files: small },
    });
    const before = await itemNamed(request, 'small.ts');
    expect(before?.status).not.toBe('included');
    const pinned = before && pinnedIn(request, before, undefined);
    expect(pinned?.explicit_context_paths?.[0]).toBe('small.ts');
    expect(pinned && isWhole((await reportOf(pinned)).items, 'small.ts')).toBe(true);
  });

  test('the page finds a token limit close to the smallest that shows a pinned file whole', async () => {
    const before = await itemNamed(crowded(), 'f.ts');
    const request = before && pinnedIn(crowded(), before, undefined);
    if (!request) throw new Error('The file was not left out.');
    const client = patientClient(service.url);
    const limit = await findLimit({ client, request, id: 'f.ts', window: null });
    const shows = async (tokens: number | null) =>
      isWhole((await reportOf(withLimit(request, tokens ?? 0))).items, 'f.ts');
    expect(await shows(limit)).toBe(true);
    expect(await shows((limit ?? 0) * 0.8)).toBe(false);
    expect(await findLimit({ client, request, id: 'f.ts', window: 2_700 })).toBeNull();
  });

  test('pinning sends the contents of a file that only the open project has', async () => {
    const before = await itemNamed(crowded(), 'missing.ts');
    expect(before && pinnedIn(crowded(), before, undefined)).toBeNull();
    const pinned = before && pinnedIn(crowded(), before, 'const here = 1;\n');
    expect(pinned && (await itemNamed(pinned, 'missing.ts'))).toMatchObject({ status: 'included' });
  });

  test('pinning turns a search chunk into a pinned item ahead of other chunks', async () => {
    const chunks = files.map(({ path, content }, index) => ({
      path,
      content,
      score: 1 - index / 10,
      start_line: 11,
    }));
    const request = crowded({ explicit_context_paths: [], vector_search_results_to_include: chunks });
    const before = await itemNamed(request, 'f.ts:11-100');
    expect(before).toMatchObject({ kind: 'vector', status: 'dropped' });
    const pinned = before && pinnedIn(request, before, undefined);
    const after = pinned && (await itemNamed(pinned, 'f.ts:11-100'));
    expect(after).toMatchObject({ kind: 'pinned' });
    expect(after?.tokens).toBeGreaterThan(200);
  });

  test('history turns and included items cannot be pinned', () => {
    const item = { id: 'x', tokens: 0, original_tokens: null, lines: null, reason: null } as const;
    expect(canBePinned({ ...item, kind: 'turn', status: 'dropped' })).toBe(false);
    expect(canBePinned({ ...item, kind: 'explicit', status: 'duplicate' })).toBe(false);
    expect(canBePinned({ ...item, kind: 'implicit', status: 'dropped' })).toBe(true);
  });

  test('a run with a pinned item gets the same context except for that item', async () => {
    const chunk = { path: 'g.ts', content: 'g', score: null, start_line: 3, end_line: null };
    const request = crowded({
      vector_search_results_to_include: [chunk],
      pinned_item_ids_to_include: null,
      implicit_context: { last_focused_file_path: 'a.ts', selection: null },
    });
    const client = patientClient(service.url);
    const sent: StepRequestInput[] = [];
    const run = client.run('x', {
      llmConfig: request.llm_config,
      context: contextOf(request),
      onRequest: (told) => {
        sent.push(told);
        run.stop();
      },
    });
    await run.result();
    const [begun] = sent;
    expect(begun?.explicit_context_paths).toEqual(request.explicit_context_paths);
    expect(begun?.inline_context?.files).toEqual(files);
    expect(begun?.implicit_context).toEqual(request.implicit_context);
    const { path, content, start_line } = chunk;
    expect(JSON.parse(JSON.stringify(begun?.vector_search_results_to_include))).toEqual([
      { path, content, start_line },
    ]);
    expect(begun && (await reportOf(begun)).items.map(({ id }) => id)).toContain('g.ts:3-3');
  });
});

describe('the effect of another budget (rule: playground-inspector)', () => {
  const item = {
    kind: 'explicit',
    status: 'included',
    original_tokens: null,
    lines: null,
    reason: null,
  } as const;

  test('the effect of another budget lists losses first, then cuts, extensions and additions', () => {
    const items = (sizes: Record<string, number>) => ({
      items: Object.entries(sizes).map(([id, tokens]) => ({ ...item, id, tokens })),
    });
    const changes = changesBetween(
      items({ in: 0, less: 9, out: 5, same: 3 }),
      items({ in: 4, less: 2, out: 0, same: 3 }),
    );
    expect(changes.map(({ item: { id }, what }) => `${id} ${what}`)).toEqual([
      'out left out',
      'less shown less fully',
      'in included',
    ]);
    expect(changesInWords(changes)).toBe(
      '1 file would be left out, 1 file would be shown less fully, 1 file would be included.',
    );
    expect(changesInWords([])).toBe('Nothing would change.');
  });

  test('the predicted effect of another budget matches the prompt that the service builds', async () => {
    const roomy = { modelName: 'gpt-4o', tokenLimit: 30_000, reservedOutputTokens: 500 };
    const changes = changesBetween(await reportOf(crowded({ llm_config: roomy })), await reportOf(crowded()));
    expect(changes).toContainEqual(
      expect.objectContaining({ what: 'left out', item: expect.objectContaining({ id: 'f.ts' }) }),
    );
  });
});
