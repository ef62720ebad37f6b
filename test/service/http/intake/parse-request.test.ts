import { describe, expect, test } from '@jest/globals';
import { compactionRequestSchema } from '../../../../src/contract/compaction.js';
import { stepRequestSchema } from '../../../../src/contract/step-request.js';
import { RequestRefused } from '../../../../src/service/http/failure/to-failure.js';
import { parseRequest } from '../../../../src/service/http/intake/parse-request.js';
import { stepBody } from '../../../support/test-service.js';

const { signal } = new AbortController();

async function detailsOf(refused: Promise<unknown>) {
  const error = await refused.catch((thrown: unknown) => thrown);
  if (!(error instanceof RequestRefused)) throw error;
  return error.details;
}

describe('enough wrong items end the check of a list (rule: loop-share)', () => {
  test.each<[string, number, (items: unknown[]) => Record<string, unknown>]>([
    ['conversation_history', 9_999, (items) => ({ conversation_history: items })],
    ['inline_context.files', 9_999, (files) => ({ inline_context: { files } })],
    ['inline_context.pinned_items', 9_999, (pinned_items) => ({ inline_context: { pinned_items } })],
    ['vector_search_results_to_include', 999, (items) => ({ vector_search_results_to_include: items })],
    ['tools', 999, (tools) => ({ tools })],
    ['tasks', 999, (tasks) => ({ tasks })],
  ])('%s: of %d at most 20 are looked at', async (path, length, sent) => {
    const seen = new Set<number>();
    const items = Array.from({ length }, (_, index) => ({
      get content() {
        seen.add(index);
        return 1;
      },
      get name() {
        seen.add(index);
        return 1;
      },
    }));
    const details = await detailsOf(parseRequest(stepRequestSchema, stepBody(sent(items)), signal));
    expect(details).toHaveLength(20);
    expect(details[0]?.path).toMatch(new RegExp(`^${path}\\.0\\.`));
    expect(seen.size).toBeGreaterThan(0);
    expect(seen.size).toBeLessThanOrEqual(20);
  });
});

test('a long list that the schema does not know is an unknown field, not checked and not kept (rule: unknown-fields)', async () => {
  const { project_id, session_id, llm_config } = stepBody();
  const body = {
    ...{ project_id, session_id, llm_config, conversation_history: [], target_tokens: 1, strategy: 'mask' },
    ...{ inline_context: { files: Array(300).fill(1) }, tools: Array(300).fill(1) },
  };
  const { request, warnings } = await parseRequest(compactionRequestSchema, body, signal);
  expect(Object.keys(request)).not.toContain('inline_context');
  expect(warnings.map(({ message }) => message)).toEqual([
    'The field inline_context is not known and was ignored.',
    'The field tools is not known and was ignored.',
  ]);
});

test('long lists come out as short ones do (rule: loop-share)', async () => {
  const many = <Item>(item: Item) => Array(300).fill(item) as Item[];
  const lists = {
    conversation_history: many({ role: 'user', content: 'a', own: 1 }),
    tools: many({ name: 'f', description: null, inputSchema: { b: 1, a: 2 } }),
    tasks: many({ id: 1, content: 'a', status: 'todo' }),
    vector_search_results_to_include: many({ path: 'a', content: 'b', score: null }),
  };
  const body = stepBody(lists);
  const { request } = await parseRequest(stepRequestSchema, body, signal);
  expect(request).toEqual(stepRequestSchema.parse(body));
});

describe('what a turn of the event loop checks goes by its fields, not by its items (rule: loop-share)', () => {
  /** An object that has these fields, and tells of each look at one. */
  function watched(fields: Record<string, unknown>, count: number, look: () => void): object {
    const target = { ...fields };
    for (let index = 0; index < count; index += 1) {
      Object.defineProperty(target, `own${index}`, { enumerable: true, get: look });
    }
    return target;
  }

  /** The most looks in one turn of the loop while this goes on. */
  async function mostInATurn(looks: () => number, work: Promise<unknown>): Promise<number> {
    let most = 0;
    let before = 0;
    let isOver = false;
    const beat = (): void => {
      most = Math.max(most, looks() - before);
      before = looks();
      if (!isOver) setImmediate(beat);
    };
    setImmediate(beat);
    await work;
    isOver = true;
    return Math.max(most, looks() - before);
  }

  const turn = { role: 'assistant', content: 'a' };
  const toolCall = { name: 'f', parameters: {} };
  test.each<[string, (look: () => void) => object]>([
    ['a turn', (look) => watched(turn, 400, look)],
    ['a call', (look) => ({ ...turn, toolCall: watched(toolCall, 400, look) })],
  ])('250 times %s of 400 fields', async (_what, turnOf) => {
    let looks = 0;
    const count = () => {
      looks += 1;
    };
    const body = stepBody({ conversation_history: Array.from({ length: 250 }, () => turnOf(count)) });
    const work = parseRequest(stepRequestSchema, body, signal);
    expect(await mostInATurn(() => looks, work)).toBeLessThan(40_000);
    expect(looks).toBeGreaterThanOrEqual(100_000);
    expect((await work).warnings).toEqual([]);
  });

  test('fields that nobody knows are not copied, however many lists are long', async () => {
    let looks = 0;
    const many = <Item>(item: Item) => Array(300).fill(item) as Item[];
    const lists = {
      conversation_history: many({ role: 'user', content: 'a' }),
      explicit_context_paths: many('a'),
      tools: many({ name: 'f', inputSchema: {} }),
      tasks: many({ id: 1, content: 'a', status: 'todo' }),
    };
    const body = watched(stepBody(lists), 1_000, () => {
      looks += 1;
    });
    const { warnings } = await parseRequest(stepRequestSchema, body, signal);
    expect(warnings).toHaveLength(20);
    expect(looks).toBeLessThanOrEqual(20);
  });
});
